#include "fold/activity.h"

#include <stdlib.h>
#include <string.h>

#include "slice/ns.h"

/* No more bins than there are nanoseconds: one without any would be a gap in what is drawn. */
static void set_bins(const struct ot_activity *activity, struct ot_activity_span *span)
{
    int64_t len_ns = ot_activity_span_ns(span);
    span->n_bins = activity->opts.n_bins;
    if (len_ns < span->n_bins)
        span->n_bins = len_ns > 0 ? (uint32_t)len_ns : 1;
}

/* False for a session without a slice that counts. */
static bool span_of(const struct ot_activity *activity, const struct ot_population *pop,
                    uint32_t session, struct ot_activity_span *ret_span)
{
    if (session >= pop->n_sessions || !pop->sessions[session].has_times)
        return false;
    *ret_span = (struct ot_activity_span){
        .start_ns = pop->sessions[session].start_ns,
        .end_ns = pop->sessions[session].end_ns,
    };
    set_bins(activity, ret_span);
    return true;
}

/* --- threads and devices ------------------------------------------------------------------------
 */

struct filling {
    struct ot_activity *activity;
    const struct ot_intake *intake;
    const uint32_t *order;
    bool *has_line;   /* of each group */
    int64_t *scratch; /* the bins of one that has none */
};

static bool is_drawable(const struct filling *filling, const struct ot_group *group)
{
    struct ot_activity_span span;
    return group->n_slices && (group->lane == OT_LANE_CALLS || group->lane == OT_LANE_FLAT) &&
           span_of(filling->activity, filling->intake->pop, group->session, &span);
}

/* What the group's slices cover, each moment once. */
static void add_slices(const struct filling *filling, const struct ot_group *group,
                       struct ot_activity_line *line)
{
    bool joins = group->lane == OT_LANE_FLAT;
    int64_t covered_to = INT64_MIN;
    for (size_t i = 0; i < group->n_slices; i++) {
        const struct ot_kept *kept = &filling->intake->kept[filling->order[group->first + i]];
        int64_t end_ns = ot_ns_add(kept->ts_ns, kept->dur_ns);
        if (kept->ts_ns >= covered_to)
            ot_activity_add_busy(line, kept->ts_ns, end_ns);
        else if (joins && end_ns > covered_to)
            ot_activity_add_busy(line, covered_to, end_ns);
        if (kept->ts_ns >= covered_to || (joins && end_ns > covered_to))
            covered_to = end_ns;
    }
}

struct candidate {
    size_t group;
    int64_t busy_ns;
};

static int busiest_first(const void *a, const void *b)
{
    const struct candidate *busy_a = a;
    const struct candidate *busy_b = b;
    if (busy_a->busy_ns != busy_b->busy_ns)
        return busy_a->busy_ns > busy_b->busy_ns ? -1 : 1;
    return (busy_a->group > busy_b->group) - (busy_a->group < busy_b->group);
}

static int64_t busy_of(const struct filling *filling, const struct ot_group *group)
{
    int64_t value = 0;
    struct ot_activity_line line = {.values = &value};
    span_of(filling->activity, filling->intake->pop, group->session, &line.span);
    line.span.n_bins = 1;
    add_slices(filling, group, &line);
    return line.total;
}

/* How busy each one is need be known beforehand only where there are too many. */
static int choose_lane(struct filling *filling, enum ot_lane lane, struct ot_err *err)
{
    const struct ot_sites *sites = &filling->intake->sites;
    struct candidate *candidates = calloc(sites->n_groups + 1, sizeof(*candidates));
    if (!candidates)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for activity");
    size_t n = 0;
    for (size_t i = 0; i < sites->n_groups; i++) {
        if (sites->groups[i].lane == lane && is_drawable(filling, &sites->groups[i]))
            candidates[n++].group = i;
    }
    for (size_t i = 0; i < n && n > OT_ACTIVITY_MAX_LINES; i++)
        candidates[i].busy_ns = busy_of(filling, &sites->groups[candidates[i].group]);
    qsort(candidates, n, sizeof(*candidates), busiest_first);
    for (size_t i = 0; i < n && i < OT_ACTIVITY_MAX_LINES; i++)
        filling->has_line[candidates[i].group] = true;
    free(candidates);
    return OT_OK;
}

static int fill_group(const struct filling *filling, size_t number,
                      const struct ot_activity_line *like, struct ot_err *err)
{
    struct ot_activity *activity = filling->activity;
    struct ot_activity_line apart = *like;
    struct ot_activity_line *line = &apart;
    apart.values = filling->scratch;
    memset(filling->scratch, 0, activity->opts.n_bins * sizeof(*filling->scratch));
    if (filling->has_line[number]) {
        int code = ot_activity_add_line(activity, like, err);
        if (code < 0)
            return code;
        line = &activity->lines[activity->n_lines - 1];
    }
    add_slices(filling, &filling->intake->sites.groups[number], line);
    return ot_activity_sum_up(activity, line, err);
}

static int fill_groups(struct filling *filling, struct ot_err *err)
{
    const struct ot_population *pop = filling->intake->pop;
    uint32_t n_devices = 0;
    int code = OT_OK;
    for (size_t i = 0; i < filling->intake->sites.n_groups && code == OT_OK; i++) {
        const struct ot_group *group = &filling->intake->sites.groups[i];
        if (!is_drawable(filling, group))
            continue;
        const struct ot_session_totals *totals = &pop->sessions[group->session];
        /* A session may say only at its end where it ran; now it has. */
        uint32_t host = totals->session.host.len ? totals->host : group->host;
        struct ot_activity_line line = {.kind = OT_ACTIVITY_THREAD,
                                        .session = group->session,
                                        .host = host,
                                        .vpid = group->vpid,
                                        .vtid = group->vtid};
        if (group->lane == OT_LANE_FLAT)
            line = (struct ot_activity_line){
                .kind = OT_ACTIVITY_DEVICE, .session = group->session, .device = n_devices++};
        span_of(filling->activity, pop, group->session, &line.span);
        code = fill_group(filling, i, &line, err);
    }
    return code;
}

static int fill(struct filling *filling, struct ot_err *err)
{
    int code = ot_activity_reserve_sums(filling->activity, filling->intake->pop->n_sessions, err);
    if (code == OT_OK)
        code = choose_lane(filling, OT_LANE_CALLS, err);
    if (code == OT_OK)
        code = choose_lane(filling, OT_LANE_FLAT, err);
    return code == OT_OK ? fill_groups(filling, err) : code;
}

int ot_activity_fill(struct ot_activity *activity, const struct ot_intake *intake,
                     const uint32_t *order, struct ot_err *err)
{
    bool *has_line = calloc(intake->sites.n_groups + 1, sizeof(*has_line));
    int64_t *scratch = calloc(activity->opts.n_bins, sizeof(*scratch));
    struct filling filling = {
        .activity = activity,
        .intake = intake,
        .order = order,
        .has_line = has_line,
        .scratch = scratch,
    };
    int code = has_line && scratch ? fill(&filling, err)
                                   : ot_err_set(err, OT_ERR_NOMEM, "out of memory for activity");
    free(has_line);
    free(scratch);
    return code;
}

/* --- memory -------------------------------------------------------------------------------------
 */

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

/* Of a session without a slice: of all its devices, so that their curves have one axis. */
static void span_memory(const struct ot_activity *activity, const struct ot_population *pop,
                        const struct ot_memory *memory, struct ot_activity_span *span)
{
    span->start_ns = memory->first_ns;
    span->end_ns = memory->last_ns;
    for (size_t i = 0; i < pop->n_memory; i++) {
        const struct ot_memory *other = &pop->memory[i];
        if (other->session != memory->session)
            continue;
        if (other->first_ns < span->start_ns)
            span->start_ns = other->first_ns;
        if (other->last_ns > span->end_ns)
            span->end_ns = other->last_ns;
    }
    set_bins(activity, span);
}

int ot_activity_fill_memory(struct ot_activity *activity, const struct ot_population *pop,
                            const struct ot_memory_event *events, size_t n, struct ot_err *err)
{
    const struct ot_memory *memory = &pop->memory[events->memory];
    struct ot_activity_line line = {
        .kind = OT_ACTIVITY_MEMORY, .session = memory->session, .device = events->memory};
    if (!span_of(activity, pop, memory->session, &line.span))
        span_memory(activity, pop, memory, &line.span);
    int code = ot_activity_add_line(activity, &line, err);
    if (code < 0)
        return code;
    struct ot_activity_line *added = &activity->lines[activity->n_lines - 1];
    struct level level = first_level(events, n);
    added->total = memory->peak_bytes;
    added->is_summed = !level.is_told;
    uint32_t bin = 0;
    added->values[0] = level.bytes;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = ot_activity_bin_of(&added->span, events[i].ts_ns);
        while (bin < at)
            added->values[++bin] = level.bytes;
        if (move_level(&level, &events[i]) && level.bytes > added->values[bin])
            added->values[bin] = level.bytes;
    }
    while (bin + 1 < added->span.n_bins)
        added->values[++bin] = level.bytes;
    return OT_OK;
}
