/* cursor.h: the events of one thread of a log, in their order.
 *
 * A cursor goes through the thread's pieces and puts in the exits of its calls that other threads
 * wrote. What is lost is yielded where it is noticed: what came before a piece, by the count of
 * events that each piece begins with; and exits of calls whose entries are lost, which would
 * otherwise look like faults of the program. One thread.
 */
#ifndef OT_INGEST_OPLOG_CURSOR_H
#define OT_INGEST_OPLOG_CURSOR_H

#include "ingest/oplog/log.h"
#include "model/event.h"

/* An entry that was yielded and has not ended. */
struct ot_oplog_open {
    uint64_t ticks;
    uint32_t name;
    uint32_t end; /* on another thread: its number; OT_OPLOG_NO_END */
};

enum { OT_OPLOG_NO_END = UINT32_MAX };

struct ot_oplog_cursor {
    struct ot_oplog_log *log;
    const struct ot_oplog_thread *thread;
    struct ot_oplog_common *common;
    struct ot_event like; /* an event of this thread without what each has of its own */
    struct ot_event_args args;
    const struct ot_oplog_call *call; /* of the event that was yielded last; NULL: a memory event */
    uint64_t ended_on_tid;            /* of an exit that another thread wrote; else 0 */
    uint64_t ticks;                   /* of the event that was yielded last */

    struct ot_oplog_buffer *buffer; /* of the piece at hand, no larger than that; NULL before */
    size_t at;                      /* word in the buffer, and where the piece ends in it */
    size_t n_words;
    size_t next_piece; /* of the thread's */
    size_t next_end;
    uint64_t base;
    struct ot_oplog_span span; /* the clock's that was used last */

    /* Only of a thread whose calls other threads end. */
    struct ot_oplog_open *open;
    size_t depth;
    size_t open_cap;

    uint64_t n_told;      /* events of the thread that were yielded, passed by or told as lost */
    uint64_t n_open;      /* calls whose entries were yielded since the last gap */
    uint64_t n_open_lost; /* calls open at the last gap, whose exits may still come */
    uint64_t gap_ticks;   /* where what is known begins */
    uint64_t n_discarded; /* to be told */
    bool has_gap;         /* likewise */
    uint64_t known_torch_thread; /* the last one that was looked up, and what came out */
    int64_t known_tid;
};

/* `thread_key` is that of the events (model/event.h). Reads nothing yet. */
void ot_oplog_cursor_init(struct ot_oplog_cursor *cursor, struct ot_oplog_log *log,
                          const struct ot_oplog_thread *thread, uint32_t thread_key,
                          struct ot_oplog_common *common);

/* No event is earlier than this one, in nanoseconds since the epoch. For a settled clock. */
int64_t ot_oplog_cursor_earliest_ns(const struct ot_oplog_cursor *cursor);

/* OT_OK with the next event, OT_END after the last one. The log's names are in use. */
int ot_oplog_cursor_next(struct ot_oplog_cursor *cursor, struct ot_event *ret_event,
                         struct ot_err *err);

void ot_oplog_cursor_release(struct ot_oplog_cursor *cursor);

#endif
