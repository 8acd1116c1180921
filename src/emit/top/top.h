/* top.h: what the live view shows, as plain values.
 *
 * Whoever watches a recording fills struct ot_top; screen.h and json.h write it. All texts are
 * borrowed and untrusted. Sums are of the last `wall_ns`.
 */
#ifndef OT_EMIT_TOP_TOP_H
#define OT_EMIT_TOP_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum ot_top_state {
    OT_TOP_WAITING, /* no process has loaded PyTorch yet */
    OT_TOP_RUNNING,
    OT_TOP_ENDED
};

enum ot_top_by { OT_TOP_OPERATORS, OT_TOP_ANNOTATIONS, OT_TOP_THREADS, OT_TOP_N_BY };

enum ot_top_sort {
    OT_TOP_SELF,
    OT_TOP_CALLS,
    OT_TOP_INCLUSIVE,
    OT_TOP_MEAN,
    OT_TOP_N_SORTS,
};

/* As --sort and --by have them. */
extern const char *const ot_top_sort_names[OT_TOP_N_SORTS];
extern const char *const ot_top_by_names[OT_TOP_N_BY];

/* An operator, an annotation or a thread. */
struct ot_top_row {
    struct ot_text name;   /* a thread's: its own, which may be empty */
    uint64_t self_ns;      /* a thread's: in any operator */
    uint64_t inclusive_ns; /* of calls that have ended */
    uint64_t n_calls;      /* that have ended */

    /* A thread's. */
    struct ot_text host;
    struct ot_text current; /* the operator it is in, if that is known */
    int64_t pid;
    uint64_t tid;
};

struct ot_top_rows {
    struct ot_top_row *rows;
    size_t n_rows;
};

struct ot_top {
    struct ot_text recording; /* the folder */
    struct ot_text command;
    struct ot_text host;
    size_t n_hosts;
    enum ot_top_state state;
    int64_t elapsed_ns; /* since the recording began; until it ended */
    uint64_t wall_ns;

    uint64_t n_processes;
    uint64_t n_processes_alive;
    uint64_t n_threads_alive;

    uint64_t n_events;  /* entries and exits */
    uint64_t n_skipped; /* of them, because there was no time to look */
    uint64_t log_bytes; /* now */
    uint64_t grown_bytes;

    uint64_t n_lost; /* since the recording began */
    uint64_t n_lost_names;
    uint64_t n_stopped;
    struct ot_text stop_reason; /* of one of the processes that stopped recording */
    struct ot_text trouble;     /* with reading a log; empty: none */

    struct ot_top_rows by[OT_TOP_N_BY];
};

/* Sorts the rows of all kinds, the largest first; those that are alike by their names. */
void ot_top_sort(struct ot_top *top, enum ot_top_sort sort);

#endif
