/* follow_thread.h: what a thread of a log that is being written is in.
 *
 * Operators and annotations of a thread lie in two lanes: the borders of the one may cross those of
 * the other. A lane is a stack of open calls; time goes to the innermost of them as it passes, up
 * to the last event or to `now`. Times are ticks. One thread.
 */
#ifndef OT_INGEST_OPLOG_FOLLOW_THREAD_H
#define OT_INGEST_OPLOG_FOLLOW_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/oplog.h"
#include "base/text.h"

enum { OT_FOLLOW_OPERATORS, OT_FOLLOW_ANNOTATIONS, OT_FOLLOW_LANES };

/* What a name has done since the last poll. */
struct ot_follow_sum {
    uint64_t self_ticks;
    uint64_t inclusive_ticks;
    uint64_t n_calls;
    struct ot_text text; /* NULL bytes: not read yet */
    uint32_t name_chunk;
    uint16_t name_at; /* word of that */
    uint8_t lane;
    bool is_known; /* where its name is, and so which lane it belongs to */
    bool is_touched;
};

/* By place (follow_parts.h), of one log, and those that have been touched. */
struct ot_follow_sums {
    struct ot_follow_sum *items;
    size_t n_items;
    size_t cap;
    uint32_t *touched;
    size_t n_touched;
    size_t touched_cap;
};

struct ot_follow_open_call {
    uint64_t entry;
    uint64_t ends_at; /* another thread has ended it then; 0: it is open */
    uint32_t place;
};

struct ot_follow_lane {
    struct ot_follow_open_call *stack;
    size_t n;
    size_t cap;
    size_t n_too_deep; /* open calls above the stack, not kept */
    size_t n_ending;   /* of the stack, with `ends_at` */
    uint64_t last;     /* until here time has gone to somebody */
};

struct ot_follow_thread_state {
    uint32_t ordinal; /* of the process */
    uint32_t next_segment;
    uint64_t tid;
    char name[sizeof(((struct ot_oplog_segment *)0)->thread_name) + 1];
    uint64_t since;    /* what was before does not count */
    uint64_t n_events; /* entries and exits since it began */
    struct ot_follow_lane lanes[OT_FOLLOW_LANES];
    uint64_t busy_ticks; /* since the last poll */
    uint64_t n_calls;    /* likewise */
    bool is_active;      /* likewise: it had events */
    bool lives;
};

struct ot_follow_thread_state *ot_follow_thread_new(const struct ot_oplog_segment *segment,
                                                    uint64_t since);

/* All open calls are forgotten: what is between is not known. */
void ot_follow_thread_forget(struct ot_follow_thread_state *thread);

/* False when memory is out. `ends_at`: as above. */
bool ot_follow_thread_enter(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                            uint32_t place, uint64_t ticks, uint64_t ends_at);

/* Ends the newest open call of that name. */
void ot_follow_thread_leave(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                            uint32_t place, uint64_t ticks);

/* Ends the call that began at `entry`, at a time that may lie before the thread's last event, or
 * after it. False if no such call is open. */
bool ot_follow_thread_leave_exactly(struct ot_follow_thread_state *thread,
                                    struct ot_follow_sums *sums, uint64_t entry, uint64_t ticks);

/* Time has come to `now` without further events. */
void ot_follow_thread_pass(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                           uint64_t now);

void ot_follow_thread_free(struct ot_follow_thread_state *thread);

#endif
