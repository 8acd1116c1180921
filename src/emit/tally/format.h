/* format.h: the forms that a tally can take, and what they share. Private to this folder. */
#ifndef OT_EMIT_TALLY_FORMAT_H
#define OT_EMIT_TALLY_FORMAT_H

#include <stdio.h>

#include "base/str.h"
#include "emit/grid/name.h"
#include "emit/tally/opts.h"
#include "stats/view.h"

/* All that there is to write. `counts` holds the overflows of the view, too. */
struct ot_tally {
    const struct ot_population *pop;
    const struct ot_tally_opts *opts;
    const struct ot_view *view;
    struct ot_counts counts;
};

void ot_tally_write_table(const struct ot_tally *tally, FILE *out);
void ot_tally_write_thapi_table(const struct ot_tally *tally, FILE *out);
void ot_tally_write_json(const struct ot_tally *tally, FILE *out);
void ot_tally_write_thapi_json(const struct ot_tally *tally, FILE *out);
void ot_tally_write_csv(const struct ot_tally *tally, FILE *out);

/* Adds why the numbers are lower bounds, on one line; nothing if they are exact. */
void ot_tally_add_completeness(struct ot_str *str, const struct ot_tally *tally);

/* What was left out, how many rows are not shown: one line each, behind `prefix`. */
void ot_tally_write_left_out(const struct ot_tally *tally, const char *prefix, FILE *out);
void ot_tally_write_cut(const struct ot_view_table *table, const char *prefix, FILE *out);

/* Adds the number of a process or a thread, or its name where the trace gives it one. */
void ot_tally_add_process(struct ot_str *str, const struct ot_population *pop, int64_t vpid);
void ot_tally_add_thread(struct ot_str *str, const struct ot_population *pop, uint64_t vtid);

/* A rank, or the path of the input that does not say which it is. */
void ot_tally_add_rank(struct ot_str *str, const struct ot_session *session);

/* Calls that have a time. */
static inline uint64_t ot_tally_n_timed(const struct ot_totals *totals)
{
    return totals->n_calls - totals->n_errors;
}

#endif
