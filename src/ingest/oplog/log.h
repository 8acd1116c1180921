/* log.h: one operator log and where in it which thread's events lie.
 *
 * A log is scanned once, from its first chunk to its last, before anything is yielded of it: only
 * then is it known which threads there are, where their segments lie (a *piece* each), which calls
 * ended on another thread than they began on (*ends*), and, of all logs together, what the clocks
 * say. What came into the log after the scan is not read. Names are read when a thread's events
 * are, and only as long as these are kept, as a recording may have very many logs.
 *
 * What is not as it should be is OT_ERR_DAMAGED or, on request, passed by and counted. One thread.
 */
#ifndef OT_INGEST_OPLOG_LOG_H
#define OT_INGEST_OPLOG_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/oplog/clock.h"
#include "ingest/oplog/dict.h"
#include "ingest/oplog/file.h"
#include "model/counts.h"
#include "model/warnings.h"

/* What an input can make us hold, of all logs together. */
enum { OT_OPLOG_PIECES_MAX = 1 << 24, OT_OPLOG_ENDS_MAX = 1 << 26 };

/* A segment: words [from, until) of a chunk, behind the SEGMENT itself. */
struct ot_oplog_piece {
    uint64_t chunk;
    uint64_t base_ticks;
    uint64_t events_before;
    uint64_t tid;
    uint32_t thread;
    uint32_t number;
    uint32_t open_calls;
    uint32_t torch_thread;
    uint32_t generation; /* of the chunk */
    uint32_t n_events;   /* entries and exits, these of other threads' calls included */
    uint16_t from;
    uint16_t until;
};

/* The end of a call on another thread than it began on. */
struct ot_oplog_end {
    uint64_t ticks;
    uint64_t began_ticks;
    uint64_t ended_on_tid;
    uint32_t thread; /* that it began on */
    uint32_t name;
    uint32_t order; /* of the scan */
    bool is_told;   /* it was yielded */
};

struct ot_oplog_thread {
    uint32_t number;
    uint32_t torch_thread;
    uint64_t tid;
    size_t first_piece;
    size_t n_pieces;
    size_t first_end;
    size_t n_ends;
};

struct ot_oplog_log {
    struct ot_oplog_file file;
    struct ot_oplog_clock *clock;
    char host[sizeof(((struct ot_oplog_header *)0)->host_name) + 1];
    bool is_cut; /* it ends before its last chunk does: what is missing may have been names, too */

    struct ot_oplog_piece *pieces; /* by thread and number */
    size_t n_pieces;
    size_t pieces_cap;
    struct ot_oplog_end *ends; /* by thread and time */
    size_t n_ends;
    size_t ends_cap;
    uint32_t *ends_by_beginning;     /* their numbers by thread and beginning */
    struct ot_oplog_thread *threads; /* by number */
    size_t n_threads;
    size_t threads_cap;
    uint64_t n_missing_threads; /* of which no event is left */
    uint64_t n_lost_ends;       /* of calls of these */

    uint64_t *names; /* chunks of names */
    size_t n_names;
    size_t names_cap;
    uint64_t n_scanned;        /* chunks that were looked at */
    struct ot_oplog_dict dict; /* from the first thread's first event to the last one's last */
    bool has_names;
    size_t n_done; /* threads that need the names no more */
};

/* What a reader shares among its logs. */
struct ot_oplog_common {
    bool recover;
    _Atomic uint64_t *read_bytes; /* of ot_reader_opts */
    struct ot_counts counts;      /* what recovering has cost, and inputs that are cut short */
    struct ot_warnings warnings;
    struct ot_oplog_clocks clocks;
    struct ot_names texts;
    struct ot_oplog_call unknown; /* stands for what has no name */
    struct ot_oplog_call unknown_annotation;
    size_t n_pieces;
    size_t n_ends;
    struct ot_oplog_buffer buffer; /* for whoever needs a chunk at once */
};

/* Opens the log, scans it, and adds its moments to the clocks. A log that was opened is released
 * by the caller, also after a failure. OT_END: the file is gone, or was never finished being made.
 */
int ot_oplog_log_open(struct ot_oplog_log *log, const char *path, struct ot_oplog_common *common,
                      struct ot_err *err);

/* Makes the names ready for a thread, which says once that it needs them no more. */
int ot_oplog_log_use_names(struct ot_oplog_log *log, struct ot_oplog_common *common,
                           struct ot_err *err);
void ot_oplog_log_leave_names(struct ot_oplog_log *log);

/* Bytes of a log were looked at. All are twice, in the scan and when they are yielded, which takes
 * several times as long. */
enum { OT_OPLOG_SCAN_EIGHTHS = 1, OT_OPLOG_YIELD_EIGHTHS = 7 };
static inline void ot_oplog_note_look(const struct ot_oplog_common *common, size_t n_bytes,
                                      unsigned eighths)
{
    if (common->read_bytes)
        atomic_fetch_add_explicit(common->read_bytes, n_bytes / 8 * eighths, memory_order_relaxed);
}

/* The system's number of the thread that PyTorch calls `torch_thread`, which is not 0; -1: nobody
 * knows. */
int64_t ot_oplog_log_tid(const struct ot_oplog_log *log, uint64_t torch_thread);

/* The file's own name, without its folder. */
const char *ot_oplog_name_of(const struct ot_oplog_log *log);

/* Something is wrong at this word. OT_OK if it is to be passed by, and then it is counted. */
int ot_oplog_damage(const struct ot_oplog_log *log, struct ot_oplog_common *common, uint64_t chunk,
                    size_t word, struct ot_err *err, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

void ot_oplog_log_release(struct ot_oplog_log *log);

#endif
