#include "stats/activity.h"

#include <stdlib.h>

#include "base/sum.h"
#include "base/vec.h"

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
    if (activity->n_lines >= OT_ACTIVITY_MAX_LINES) {
        activity->n_left_out++;
        return OT_END;
    }
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

void ot_activity_add_busy(struct ot_activity_line *line, const struct ot_activity_span *span,
                          int64_t from_ns, int64_t to_ns)
{
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

void ot_activity_release(struct ot_activity *activity)
{
    if (!activity)
        return;
    for (size_t i = 0; i < activity->n_lines; i++)
        free(activity->lines[i].values);
    free(activity->lines);
    *activity = (struct ot_activity){.opts = activity->opts};
}
