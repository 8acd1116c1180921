/* view.h: what is shown of a population.
 *
 * A view groups the rows into sections by level, highest first; a section holds one table, or one
 * per thread if `extended`; a table's rows are aggregated by operator, thread or process, sorted
 * and perhaps cut. Totals are of the whole table, whatever is shown of it. The view borrows names
 * from the population, which has to outlive it unchanged. One thread.
 */
#ifndef OT_STATS_VIEW_H
#define OT_STATS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/backend.h"
#include "stats/population.h"

enum ot_sort {
    OT_SORT_TIME,
    OT_SORT_SELF,
    OT_SORT_CALLS,
    OT_SORT_AVERAGE,
    OT_SORT_MIN,
    OT_SORT_MAX,
    OT_SORT_NAME, /* ascending; all others descending, then by name */
    OT_SORT_ERRORS
};

enum ot_by { OT_BY_OPERATOR, OT_BY_THREAD, OT_BY_PROCESS, OT_BY_RANK };

struct ot_view_opts {
    enum ot_sort sort;
    enum ot_by by;
    bool extended;                /* a table per host, process and thread */
    int64_t top;                  /* rows shown per table; -1 all */
    int levels[OT_BACKEND_COUNT]; /* section that a backend belongs to; 0 leaves it out */
};

/* Of the fields that name a row, only those that the grouping keeps are meaningful. */
struct ot_view_row {
    struct ot_text name;
    struct ot_text host;
    int64_t vpid;
    uint64_t vtid;
    const struct ot_session *session; /* NULL where the population has none */
    struct ot_totals totals;
};

struct ot_view_table {
    int level;
    bool has_backend[OT_BACKEND_COUNT]; /* those with calls in this section */
    uint64_t n_hosts;
    uint64_t n_processes;   /* distinct {host, process} */
    uint64_t n_threads;     /* distinct {host, process, thread} */
    uint64_t n_process_ids; /* distinct numbers alone, as THAPI counts */
    uint64_t n_thread_ids;
    struct ot_text host; /* these three only if extended */
    int64_t vpid;
    uint64_t vtid;
    struct ot_view_row *rows; /* all of them, sorted */
    size_t n_rows;
    size_t n_shown;
    struct ot_totals totals;
};

struct ot_view {
    struct ot_view_table *tables;
    size_t n_tables;
    uint64_t left_out[OT_BACKEND_COUNT]; /* calls of backends that belong to no section */
    uint64_t n_overflowed;               /* sums that met their limit while aggregating */
};

/* A zeroed struct is an empty view. Release it also after a failure. */
int ot_view_build(struct ot_view *view, const struct ot_population *pop,
                  const struct ot_view_opts *opts, struct ot_err *err);

void ot_view_release(struct ot_view *view);

#endif
