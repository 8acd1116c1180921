#include "fold/activity.h"

#include "slice/ns.h"

/* False for a session without a slice that counts: nothing can be drawn over no time. */
static bool span_of(const struct ot_activity *activity, const struct ot_population *pop,
                    uint32_t session, struct ot_activity_span *ret_span)
{
    if (session >= pop->n_sessions || !pop->sessions[session].has_times)
        return false;
    *ret_span = (struct ot_activity_span){
        .n_bins = activity->opts.n_bins,
        .start_ns = pop->sessions[session].start_ns,
        .end_ns = pop->sessions[session].end_ns,
    };
    return true;
}

static int fill_group(struct ot_activity *activity, const struct ot_intake *intake,
                      const uint32_t *order, const struct ot_group *group,
                      const struct ot_activity_line *line, struct ot_err *err)
{
    struct ot_activity_span span;
    if (!span_of(activity, intake->pop, group->session, &span))
        return OT_OK;
    int code = ot_activity_add_line(activity, line, err);
    if (code != OT_OK)
        return code == OT_END ? OT_OK : code;
    struct ot_activity_line *added = &activity->lines[activity->n_lines - 1];
    bool joins = group->lane == OT_LANE_FLAT;
    int64_t covered_to = INT64_MIN;
    for (size_t i = 0; i < group->n_slices; i++) {
        const struct ot_kept *kept = &intake->kept[order[group->first + i]];
        int64_t end_ns = ot_ns_add(kept->ts_ns, kept->dur_ns);
        if (kept->ts_ns >= covered_to)
            ot_activity_add_busy(added, &span, kept->ts_ns, end_ns);
        else if (joins && end_ns > covered_to)
            ot_activity_add_busy(added, &span, covered_to, end_ns);
        if (kept->ts_ns >= covered_to || (joins && end_ns > covered_to))
            covered_to = end_ns;
    }
    return OT_OK;
}

int ot_activity_fill(struct ot_activity *activity, const struct ot_intake *intake,
                     const uint32_t *order, struct ot_err *err)
{
    uint32_t n_devices = 0;
    int code = OT_OK;
    for (size_t i = 0; i < intake->sites.n_groups && code == OT_OK; i++) {
        const struct ot_group *group = &intake->sites.groups[i];
        if (group->n_slices == 0 || (group->lane != OT_LANE_CALLS && group->lane != OT_LANE_FLAT))
            continue;
        const struct ot_session_totals *totals = &intake->pop->sessions[group->session];
        /* A session may say only at its end where it ran; now it has. */
        uint32_t host = totals->session.host.len ? totals->host : group->host;
        struct ot_activity_line line = {.kind = OT_ACTIVITY_THREAD,
                                        .session = group->session,
                                        .host = host,
                                        .vpid = group->vpid,
                                        .vtid = group->vtid};
        if (group->lane == OT_LANE_FLAT)
            line = (struct ot_activity_line){
                .kind = OT_ACTIVITY_DEVICE, .session = group->session, .device = n_devices};
        n_devices += group->lane == OT_LANE_FLAT;
        code = fill_group(activity, intake, order, group, &line, err);
    }
    return code;
}

/* What was allocated after an event: what it tells, or the sum of what was seen. Where some events
 * tell it, the others are passed by: the sum does not know what was there before. */
struct level {
    bool is_told;
    int64_t bytes;
};

static bool move_level(struct level *level, const struct ot_memory_event *event)
{
    if (level->is_told && !event->has_total)
        return false;
    if (level->is_told)
        level->bytes = event->total_allocated;
    else if (__builtin_add_overflow(level->bytes, event->bytes, &level->bytes))
        level->bytes = event->bytes < 0 ? INT64_MIN : INT64_MAX;
    return true;
}

static struct level first_level(const struct ot_memory_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (events[i].has_total)
            return (struct level){.is_told = true, .bytes = events[i].total_allocated};
    }
    return (struct level){0};
}

int ot_activity_fill_memory(struct ot_activity *activity, const struct ot_population *pop,
                            const struct ot_memory_event *events, size_t n, struct ot_err *err)
{
    const struct ot_memory *memory = &pop->memory[events->memory];
    struct ot_activity_span span;
    if (!span_of(activity, pop, memory->session, &span))
        return OT_OK;
    struct ot_activity_line line = {
        .kind = OT_ACTIVITY_MEMORY, .session = memory->session, .device = events->memory};
    int code = ot_activity_add_line(activity, &line, err);
    if (code != OT_OK)
        return code == OT_END ? OT_OK : code;
    struct ot_activity_line *added = &activity->lines[activity->n_lines - 1];
    struct level level = first_level(events, n);
    added->total = memory->peak_bytes;
    added->is_summed = !level.is_told;
    uint32_t bin = 0;
    added->values[0] = level.bytes;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = ot_activity_bin_of(&span, events[i].ts_ns);
        while (bin < at)
            added->values[++bin] = level.bytes;
        if (move_level(&level, &events[i]) && level.bytes > added->values[bin])
            added->values[bin] = level.bytes;
    }
    while (bin + 1 < span.n_bins)
        added->values[++bin] = level.bytes;
    return OT_OK;
}
