/* population.h: everything that ran, folded into a row per {backend, host, process, thread, name}.
 *
 * The complete population is kept; what is shown of it is chosen later (view.h). Sums saturate at
 * INT64_MAX and the counts then say so. No I/O. One thread.
 */
#ifndef OT_STATS_POPULATION_H
#define OT_STATS_POPULATION_H

#include "base/err.h"
#include "base/map.h"
#include "model/counts.h"
#include "model/names.h"
#include "model/slice.h"

/* What an input can make us hold. */
enum { OT_POPULATION_MAX_ROWS = 1 << 24 };

/* Failed calls count in n_calls and n_errors and in nothing else. */
struct ot_totals {
    uint64_t n_calls;
    uint64_t n_errors;
    int64_t inclusive_ns;
    int64_t self_ns;
    int64_t min_ns; /* INT64_MAX while no call has succeeded */
    int64_t max_ns; /* 0 while no call has succeeded */
};

struct ot_row {
    int backend;
    uint32_t host;
    uint32_t name;
    int64_t vpid;
    uint64_t vtid;
    struct ot_totals totals;
    uint64_t n_unclosed; /* entries that never ended; they are no calls */
};

struct ot_population {
    struct ot_names names; /* of the slices that are added: the ids in rows are its own */
    struct ot_counts counts;
    struct ot_row *rows; /* in order of first sight */
    size_t n_rows;
    size_t cap;
    struct ot_map map;
};

void ot_totals_init(struct ot_totals *totals);

/* Adds `more`; returns how many sums met their limit. */
unsigned ot_totals_add(struct ot_totals *totals, const struct ot_totals *more);

/* A zeroed struct is an empty population. OT_ERR_NOMEM: memory or OT_POPULATION_MAX_ROWS. */
int ot_population_add(struct ot_population *pop, const struct ot_slice *slice, struct ot_err *err);

/* An entry that never ended. */
int ot_population_add_unclosed(struct ot_population *pop, const struct ot_slice *entry,
                               struct ot_err *err);

void ot_population_release(struct ot_population *pop);

#endif
