/* follow_entry.h: one log of a recording that is followed, and whether its process is alive.
 *
 * What is known of a log stays when the log itself is not looked at any more. One thread.
 */
#ifndef OT_INGEST_OPLOG_FOLLOW_ENTRY_H
#define OT_INGEST_OPLOG_FOLLOW_ENTRY_H

#include "ingest/oplog/follow_log.h"

struct ot_follow_entry {
    char *name;
    struct ot_follow_log *log; /* NULL: not to be looked at, any more or yet */
    unsigned n_openings;
    enum ot_oplog_life life;
    bool was_running;
    bool is_stranger; /* its process's number is somebody else's here */
    bool is_asleep;   /* nobody sees its process, and nothing has come: most likely it is dead */
    int64_t grown_ns; /* when it was last seen to grow, on our CLOCK_MONOTONIC; 0: never */

    /* As of the last look. */
    uint32_t host;
    int64_t pid;
    int64_t started_ns;
    int64_t last_ns;
    uint64_t n_bytes;
    uint64_t n_lost;
    uint64_t n_lost_names;
    uint32_t stop_reason;
};

/* Opens the log in `folder`. */
int ot_follow_entry_open(struct ot_follow_entry *entry, const char *folder, struct ot_err *err);

/* Notes what the header says as of the last look. */
int ot_follow_entry_note_facts(struct ot_follow_entry *entry, struct ot_names *hosts,
                               struct ot_err *err);

/* Notes whether the process is there. */
void ot_follow_entry_note_life(struct ot_follow_entry *entry);

/* Nothing more will come: it says so, or its process was there and is gone. */
bool ot_follow_entry_has_ended(const struct ot_follow_entry *entry);

bool ot_follow_entry_is_alive(const struct ot_follow_entry *entry, int64_t now_ns);

/* Time comes to `until_ns`, on the CLOCK_MONOTONIC of its machine, for the threads that live. */
void ot_follow_entry_pass_time(const struct ot_follow_entry *entry, int64_t until_ns);

/* What no clock shows is no time: 0. */
int64_t ot_follow_time_of(int64_t ns);

/* Does not look at the log any more. */
void ot_follow_entry_close(struct ot_follow_entry *entry);

#endif
