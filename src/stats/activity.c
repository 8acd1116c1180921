#include "stats/activity.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sum.h"
#include "base/vec.h"

/* Threads and devices; memory does not add up. */
enum { KINDS_OF_SUMS = OT_ACTIVITY_DEVICE + 1 };

int64_t ot_activity_bin_start(const struct ot_activity_span *span, uint32_t bin)
{
    __int128 len_ns = (__int128)span->end_ns - span->start_ns;
    return (int64_t)(span->start_ns + len_ns * bin / span->n_bins);
}

uint32_t ot_activity_bin_of(const struct ot_activity_span *span, int64_t ts_ns)
{
    if (ts_ns < span->start_ns)
        return 0;
    if (ts_ns >= span->end_ns)
        return span->n_bins - 1;
    __int128 len_ns = (__int128)span->end_ns - span->start_ns;
    __int128 offset_ns = (__int128)ts_ns - span->start_ns;
    uint32_t bin = (uint32_t)(offset_ns * span->n_bins / len_ns);
    /* Starts are rounded down, so that the next bin may have begun already. */
    while (bin + 1 < span->n_bins && ot_activity_bin_start(span, bin + 1) <= ts_ns)
        bin++;
    return bin;
}

int ot_activity_add_line(struct ot_activity *activity, const struct ot_activity_line *line,
                         struct ot_err *err)
{
    int64_t *values = calloc(activity->opts.n_bins, sizeof(*values));
    if (!values || !ot_vec_reserve(&activity->lines, &activity->cap, activity->n_lines + 1,
                                   sizeof(*activity->lines))) {
        free(values);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for activity");
    }
    struct ot_activity_line *added = &activity->lines[activity->n_lines++];
    *added = *line;
    added->values = values;
    added->total = 0;
    return OT_OK;
}

void ot_activity_add_busy(struct ot_activity_line *line, int64_t from_ns, int64_t to_ns)
{
    const struct ot_activity_span *span = &line->span;
    if (from_ns < span->start_ns)
        from_ns = span->start_ns;
    if (to_ns > span->end_ns)
        to_ns = span->end_ns;
    if (span->n_bins == 0)
        return; /* there is nothing to draw in */
    uint32_t last = span->n_bins - 1;
    for (uint32_t bin = ot_activity_bin_of(span, from_ns); from_ns < to_ns; bin++) {
        int64_t end_ns = bin < last ? ot_activity_bin_start(span, bin + 1) : span->end_ns;
        if (end_ns > to_ns)
            end_ns = to_ns;
        /* What lies in one span fits, as long as stretches do not overlap. */
        ot_sum_add(&line->values[bin], end_ns - from_ns);
        ot_sum_add(&line->total, end_ns - from_ns);
        from_ns = end_ns;
    }
}

int ot_activity_reserve_sums(struct ot_activity *activity, size_t n_sessions, struct ot_err *err)
{
    activity->sums = calloc(n_sessions + 1, KINDS_OF_SUMS * sizeof(*activity->sums));
    if (!activity->sums)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for activity");
    activity->n_sums = n_sessions * KINDS_OF_SUMS;
    return OT_OK;
}

int ot_activity_sum_up(struct ot_activity *activity, const struct ot_activity_line *line,
                       struct ot_err *err)
{
    assert((int)line->kind < KINDS_OF_SUMS && line->session < activity->n_sums / KINDS_OF_SUMS);
    struct ot_activity_sum *sum = &activity->sums[line->session * KINDS_OF_SUMS + line->kind];
    if (!sum->values)
        sum->values = calloc(activity->opts.n_bins, sizeof(*sum->values));
    if (!sum->values)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for activity");
    sum->span = line->span;
    sum->n++;
    for (uint32_t bin = 0; bin < activity->opts.n_bins; bin++)
        ot_sum_add(&sum->values[bin], line->values[bin]);
    ot_sum_add(&sum->total, line->total);
    return OT_OK;
}

const struct ot_activity_sum *ot_activity_sum_of(const struct ot_activity *activity,
                                                 uint32_t session, enum ot_activity_kind kind)
{
    size_t number = (size_t)session * KINDS_OF_SUMS + kind;
    return number < activity->n_sums && activity->sums[number].n ? &activity->sums[number] : NULL;
}

void ot_activity_release(struct ot_activity *activity)
{
    if (!activity)
        return;
    for (size_t i = 0; i < activity->n_lines; i++)
        free(activity->lines[i].values);
    for (size_t i = 0; i < activity->n_sums; i++)
        free(activity->sums[i].values);
    free(activity->lines);
    free(activity->sums);
    *activity = (struct ot_activity){.opts = activity->opts};
}
