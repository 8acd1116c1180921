/* Where the times of each session are drawn. */
#include <stdlib.h>

#include "timeline/parts.h"

static const struct ot_session *session_of(const struct ot_timeline *timeline, size_t number)
{
    static const struct ot_session unknown;
    const struct ot_describe *describe = &timeline->describe;
    return number < describe->n_sessions ? &describe->sessions[number] : &unknown;
}

/* Whether its times and its base make times that 64 bits can hold. */
static bool has_base(const struct ot_timeline *timeline, size_t number)
{
    const struct ot_timeline_span *span = &timeline->spans[number];
    const struct ot_session *session = session_of(timeline, number);
    int64_t sum;
    return session->has_base && !__builtin_add_overflow(span->first_ns, session->base_ns, &sum) &&
           !__builtin_add_overflow(span->last_ns, session->base_ns, &sum);
}

/* Whether all of them fit into 63 bits from the earliest on. Each has a base. */
static bool fits_together(const struct ot_timeline *timeline)
{
    int64_t first_ns = INT64_MAX;
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; i < timeline->n_spans; i++) {
        const struct ot_timeline_span *span = &timeline->spans[i];
        if (!span->has_times)
            continue;
        int64_t base_ns = session_of(timeline, i)->base_ns;
        if (span->first_ns + base_ns < first_ns)
            first_ns = span->first_ns + base_ns;
        if (span->last_ns + base_ns > last_ns)
            last_ns = span->last_ns + base_ns;
    }
    int64_t len_ns;
    return !__builtin_sub_overflow(last_ns, first_ns, &len_ns);
}

/* Ranks that all say what their times count from are lined up by that. Else nothing is known of
 * how they lie to each other, and each begins at 0. One alone is drawn as its times are. */
static void set_offsets(struct ot_timeline *timeline, bool *ret_is_epoch)
{
    size_t n_drawn = 0;
    size_t n_based = 0;
    for (size_t i = 0; i < timeline->n_spans; i++) {
        n_drawn += timeline->spans[i].has_times;
        n_based += timeline->spans[i].has_times && has_base(timeline, i);
    }
    bool is_based = n_drawn > 0 && n_based == n_drawn && fits_together(timeline);
    *ret_is_epoch = is_based || timeline->is_recording;
    for (size_t i = 0; i < timeline->n_spans; i++) {
        struct ot_timeline_span *span = &timeline->spans[i];
        if (!span->has_times)
            continue;
        if (is_based)
            span->offset_ns = session_of(timeline, i)->base_ns;
        else if (n_drawn > 1 && !timeline->is_recording)
            span->offset_ns = span->first_ns == INT64_MIN ? INT64_MAX : -span->first_ns;
        timeline->is_unaligned[i] = n_drawn > 1 && !*ret_is_epoch;
        timeline->totals.n_unaligned += timeline->is_unaligned[i];
    }
}

int ot_timeline_align(struct ot_timeline *timeline, struct ot_err *err)
{
    bool is_epoch = false;
    bool has_first = false;
    int64_t first_ns = 0;
    timeline->is_unaligned = calloc(timeline->n_spans + 1, sizeof(*timeline->is_unaligned));
    if (!timeline->is_unaligned)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sessions");
    timeline->describe.is_unaligned = timeline->is_unaligned;
    set_offsets(timeline, &is_epoch);
    for (size_t i = 0; i < timeline->n_spans; i++) {
        const struct ot_timeline_span *span = &timeline->spans[i];
        if (!span->has_times)
            continue;
        int64_t ts_ns = span->first_ns + span->offset_ns;
        if (!has_first || ts_ns < first_ns)
            first_ns = ts_ns;
        has_first = true;
    }
    /* The format's times are unsigned. */
    if (first_ns < 0) {
        for (size_t i = 0; i < timeline->n_spans; i++) {
            if (timeline->spans[i].has_times)
                timeline->spans[i].offset_ns -= first_ns;
        }
        timeline->totals.is_shifted = true;
        is_epoch = false;
        first_ns = 0;
    }
    ot_timeline_set_clock(timeline, first_ns, is_epoch);
    return OT_OK;
}
