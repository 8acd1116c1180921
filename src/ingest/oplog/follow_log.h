/* follow_log.h: one log that is being written, looked at again and again.
 *
 * A look finds the chunks that are new, or that a ring has used again, and goes on in those that it
 * knows. A thread's segments are taken in the order of their numbers, wherever they lie, so a
 * cursor that comes to one whose turn it is not yet waits. What cannot be had any more is a gap:
 * its events are counted, and the thread begins anew behind it. One thread.
 */
#ifndef OT_INGEST_OPLOG_FOLLOW_LOG_H
#define OT_INGEST_OPLOG_FOLLOW_LOG_H

#include "ingest/oplog/alive.h"
#include "ingest/oplog/file.h"
#include "ingest/oplog/follow_thread.h"
#include "model/names.h"

/* Where chunks are read into; one for all logs. */
struct ot_follow_room {
    struct ot_oplog_buffer events;
    struct ot_oplog_buffer names;
};

/* A chunk that may get more words. */
struct ot_follow_cursor {
    uint64_t chunk;
    uint32_t generation;
    uint32_t at;         /* next word */
    uint32_t n_foreseen; /* words that have been looked at for ends of other threads' calls */
    uint64_t base;
    struct ot_follow_thread_state *thread; /* whose segment it is in; NULL: nobody's that counts */
    uint64_t looked;                       /* number of the last look that came to its end */
    bool is_done;                          /* nothing more will come */
    bool is_crowded; /* there are more threads than can be followed: it is in one of those */
    bool waits;      /* in this look: at a segment whose turn it is not yet */

    /* Of the segment that it begins with, or waits at. */
    uint32_t segment_thread;
    uint32_t segment_number;
    uint64_t segment_base;
};

/* A chunk of a ring that may be used again. */
struct ot_follow_old_chunk {
    uint64_t chunk;
    uint32_t generation;
};

struct ot_follow_name_chunk {
    uint64_t chunk;
    size_t at;
};

/* A call that ended on another thread before its own thread was looked at. */
struct ot_follow_early_exit {
    uint32_t thread;
    uint64_t entry;
    uint64_t ticks;
    uint64_t look;
};

struct ot_follow_log {
    struct ot_oplog_file file;
    struct ot_names texts; /* of the names that have been told */
    struct ot_follow_sums sums;

    struct ot_follow_name_chunk *names;
    size_t n_names;
    size_t names_cap;
    uint64_t n_chunks_for_names; /* chunks before it have been asked whether they hold names */
    unsigned n_refreshes;        /* of the names, in this look */

    struct ot_follow_cursor *cursors;
    size_t n_cursors;
    size_t cursors_cap;
    uint64_t n_scanned; /* chunks before it are known, but for those before `n_unseen` */
    uint64_t n_unseen;  /* that were there when we began and have not been looked at */
    struct ot_follow_old_chunk *old; /* ring only, those that ended first at the front */
    size_t n_old;
    size_t old_cap;

    struct ot_follow_thread_state **threads; /* by ordinal */
    size_t n_threads;
    size_t threads_cap;
    struct ot_follow_early_exit *early;
    size_t n_early;
    size_t n_early_sorted;
    bool is_looking_ahead;
    uint64_t n_exits_of; /* that the log had when it was last looked at for them */
    size_t early_cap;

    /* Moments far apart, for the length of a tick. */
    struct ot_oplog_moment first;
    struct ot_oplog_moment last;

    uint64_t look; /* its number, from 1 */
    uint64_t since;
    uint64_t last_event;  /* ticks; 0: none seen */
    uint64_t n_events;    /* since the last poll */
    uint64_t n_skipped;   /* likewise */
    uint64_t n_words;     /* likewise; with all that belongs to the events */
    struct ot_err damage; /* the last thing in it that cannot be; empty: none */
    bool has_our_clock;   /* its ticks are those that we read here */
};

int ot_follow_log_open(struct ot_follow_log *log, const char *path, struct ot_err *err);

/* Header and size. OT_ERR_IO: it is gone. */
int ot_follow_log_refresh(struct ot_follow_log *log, struct ot_err *err);

/* Looks at what has come; what was before `since` (ticks; only the first look cares) does not
 * count. Of a chunk in which something cannot be, the rest is passed
 * by, and `damage` says so. */
int ot_follow_log_look(struct ot_follow_log *log, uint64_t since, size_t max_chunks,
                       struct ot_follow_room *room, struct ot_err *err);

/* Takes the time here and now, if that is the log's. */
void ot_follow_log_note_now(struct ot_follow_log *log);

/* Nanoseconds of a tick; 0: nobody knows yet. */
double ot_follow_log_tick_ns(const struct ot_follow_log *log);

/* On CLOCK_MONOTONIC of the log's machine, and back. */
int64_t ot_follow_log_ns(const struct ot_follow_log *log, uint64_t ticks);
uint64_t ot_follow_log_ticks(const struct ot_follow_log *log, int64_t monotonic_ns);

/* The name that has this place in the sums; until ot_follow_log_begin_anew(). */
struct ot_text ot_follow_name(struct ot_follow_log *log, uint32_t place,
                              struct ot_oplog_buffer *buffer);

/* Ends the poll for this log: sums and counts begin anew. */
void ot_follow_log_begin_anew(struct ot_follow_log *log);

/* Forgets what is dead and idle. */
void ot_follow_log_forget_threads(struct ot_follow_log *log);

void ot_follow_log_close(struct ot_follow_log *log);

#endif
