#include "stats/completeness.h"

#include <inttypes.h>

static const struct reason {
    size_t offset;
    const char *one;  /* what follows "1 " */
    const char *many; /* what follows any other number */
} reasons[OT_COMPLETENESS_REASONS] = {
    {offsetof(struct ot_counts, discarded_events), "event was discarded by the tracer",
     "events were discarded by the tracer"},
    {offsetof(struct ot_counts, unmatched_exits), "call ended that was never seen to begin",
     "calls ended that were never seen to begin"},
    {offsetof(struct ot_counts, unclosed_entries), "call began that was never seen to end",
     "calls began that were never seen to end"},
    {offsetof(struct ot_counts, backward_times), "event went back in time on its thread",
     "events went back in time on their threads"},
    {offsetof(struct ot_counts, overflowed_sums), "sum was too large to hold",
     "sums were too large to hold"},
    {offsetof(struct ot_counts, silent_sources), "source does not say whether it lost events",
     "sources do not say whether they lost events"},
    {offsetof(struct ot_counts, uncertain_self), "self time may be too long",
     "self times may be too long"},
    {offsetof(struct ot_counts, excluded_events),
     "event without a usable time or size was left out",
     "events without a usable time or size were left out"},
    {offsetof(struct ot_counts, damaged_events), "damaged event was skipped",
     "damaged events were skipped"},
    {offsetof(struct ot_counts, truncated_inputs), "input could not be read to its end",
     "inputs could not be read to their ends"},
    {offsetof(struct ot_counts, lost_names),
     "name found no room: its calls count under (name not kept)",
     "names found no room: their calls count under (name not kept)"},
    {offsetof(struct ot_counts, left_out_calls), "call was left out when the trace was written",
     "calls were left out when the trace was written"},
};

static uint64_t value_of(const struct ot_counts *counts, const struct reason *reason)
{
    return *(const uint64_t *)((const char *)counts + reason->offset);
}

bool ot_completeness_exact(const struct ot_counts *counts)
{
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS; i++) {
        if (value_of(counts, &reasons[i]))
            return false;
    }
    return true;
}

bool ot_completeness_reason(const struct ot_counts *counts, size_t i, struct ot_str *str)
{
    uint64_t value = value_of(counts, &reasons[i]);
    if (value == 0)
        return false;
    bool is_discarded = reasons[i].offset == offsetof(struct ot_counts, discarded_events);
    const char *at_least = is_discarded && counts->discarded_unknown ? "at least " : "";
    ot_str_addf(str, "%s%" PRIu64 " %s", at_least, value,
                value == 1 ? reasons[i].one : reasons[i].many);
    return true;
}

void ot_counts_add(struct ot_counts *counts, const struct ot_counts *more)
{
    static const size_t fields[] = {
        offsetof(struct ot_counts, events_read),       offsetof(struct ot_counts, discarded_events),
        offsetof(struct ot_counts, discarded_unknown), offsetof(struct ot_counts, unmatched_exits),
        offsetof(struct ot_counts, unclosed_entries),  offsetof(struct ot_counts, lost_entries),
        offsetof(struct ot_counts, backward_times),    offsetof(struct ot_counts, overflowed_sums),
        offsetof(struct ot_counts, silent_sources),    offsetof(struct ot_counts, uncertain_self),
        offsetof(struct ot_counts, excluded_events),   offsetof(struct ot_counts, damaged_events),
        offsetof(struct ot_counts, truncated_inputs),  offsetof(struct ot_counts, lost_names),
        offsetof(struct ot_counts, left_out_calls),
    };
    _Static_assert(sizeof(fields) / sizeof(fields[0]) == sizeof(struct ot_counts) / 8,
                   "every count is added");
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t *sum = (uint64_t *)((char *)counts + fields[i]);
        uint64_t value = *(const uint64_t *)((const char *)more + fields[i]);
        if (__builtin_add_overflow(*sum, value, sum))
            *sum = UINT64_MAX;
    }
}
