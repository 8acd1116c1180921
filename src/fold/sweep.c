#include "fold/sweep.h"

#include <stdlib.h>

#include "base/sum.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "slice/ns.h"

enum { NO_LEVEL = UINT32_MAX };

/* An open slice. */
struct ot_level {
    int64_t end_ns; /* clamped to that of the level below */
    int64_t dur_ns; /* likewise */
    int64_t children_ns;
    int64_t device_ns; /* launched inside so far */
    const struct ot_kept *kept;
    uint32_t row;
    uint32_t frame; /* of the stacks */
    uint32_t owner; /* the level of the innermost operator here, itself included */
    bool is_operator;
    bool is_warm;
};

static struct ot_row *row_of(struct ot_sweep *sweep, uint32_t row)
{
    return &sweep->intake->pop->rows[row];
}

static void add(struct ot_sweep *sweep, int64_t *sum, int64_t more)
{
    sweep->intake->pop->counts.overflowed_sums += ot_sum_add(sum, more);
}

/* What was launched or taken at a time that is not inside an operator belongs to the thread. */
static struct ot_stack_frame *frame_of(struct ot_sweep *sweep, const struct ot_level *level)
{
    struct ot_stacks *stacks = sweep->intake->stacks;
    return sweep->has_frames ? &stacks->frames[level ? level->frame : sweep->thread_frame] : NULL;
}

static void add_to_frame(struct ot_sweep *sweep, const struct ot_level *level, int64_t self_ns)
{
    struct ot_stack_frame *frame = frame_of(sweep, level);
    if (!frame)
        return;
    frame->n_calls++;
    add(sweep, &frame->self_ns, self_ns);
}

static void tell_slice(struct ot_sweep *sweep, const struct ot_fold_slice *slice)
{
    const struct ot_fold_sink *sink = sweep->intake->sink;
    if (sweep->sink_code == OT_OK)
        sweep->sink_code = sink->slice(sink->context, slice, sweep->sink_err);
}

/* Of a call that has just been taken from the stack. */
static void tell_call(struct ot_sweep *sweep, const struct ot_level *level, int64_t self_ns)
{
    struct ot_fold_slice slice = {
        .row = level->row,
        .depth = (uint32_t)sweep->depth,
        .has_parent = sweep->depth > 0,
        .ts_ns = level->kept->ts_ns,
        .dur_ns = level->kept->dur_ns,
        .self_ns = self_ns,
    };
    if (slice.has_parent)
        slice.parent = sweep->stack[sweep->depth - 1].row;
    tell_slice(sweep, &slice);
}

static void tell_memory(struct ot_sweep *sweep, const struct ot_memory_event *event,
                        const struct ot_level *owner)
{
    const struct ot_fold_sink *sink = sweep->intake->sink;
    const struct ot_group *group = &sweep->intake->sites.groups[event->group];
    const struct ot_fold_memory memory = {
        .device = event->memory,
        .has_owner = owner != NULL,
        .owner = owner ? owner->row : 0,
        .vpid = group->vpid,
        .vtid = group->vtid,
        .ts_ns = event->ts_ns,
        .bytes = event->bytes,
        .has_total = event->has_total,
        .total_allocated = event->total_allocated,
    };
    if (sweep->sink_code == OT_OK)
        sweep->sink_code = sink->memory(sink->context, &memory, sweep->sink_err);
}

static void close_top(struct ot_sweep *sweep)
{
    const struct ot_level *top = &sweep->stack[--sweep->depth];
    struct ot_row *row = row_of(sweep, top->row);
    int64_t self_ns = ot_ns_between(top->children_ns, top->dur_ns);
    add(sweep, &row->totals.self_ns, self_ns);
    add_to_frame(sweep, top, self_ns);
    if (top->is_warm) {
        row->n_warm++;
        add(sweep, &row->warm_self_ns, self_ns);
    }
    if (top->is_operator)
        add(sweep, &row->device_inclusive_ns, top->device_ns);
    if (sweep->depth)
        add(sweep, &sweep->stack[sweep->depth - 1].device_ns, top->device_ns);
    if (sweep->intake->sink)
        tell_call(sweep, top, self_ns);
}

static void close_until(struct ot_sweep *sweep, int64_t ts_ns)
{
    while (sweep->depth && sweep->stack[sweep->depth - 1].end_ns <= ts_ns)
        close_top(sweep);
}

/* The operator around `ts_ns`, up to which the stack has got; NULL if there is none. */
static struct ot_level *operator_at(struct ot_sweep *sweep, int64_t ts_ns)
{
    close_until(sweep, ts_ns);
    if (sweep->depth == 0)
        return NULL;
    uint32_t level = sweep->stack[sweep->depth - 1].owner;
    return level == NO_LEVEL ? NULL : &sweep->stack[level];
}

static void add_unattributed(struct ot_sweep *sweep, const struct ot_launch *launch,
                             enum ot_unattributed reason)
{
    struct ot_device_share *share =
        &sweep->intake->pop->sessions[launch->session].unattributed[reason];
    share->n_events += launch->n_events;
    add(sweep, &share->device_ns, launch->device_ns);
}

static void give_launch(struct ot_sweep *sweep, struct ot_launch *launch)
{
    struct ot_intake *intake = sweep->intake;
    bool is_graph = intake->sites.of[intake->kept[launch->call].site].is_graph_launch;
    if (is_graph) {
        struct ot_device_share *graphs = &intake->pop->sessions[launch->session].graph_launches;
        graphs->n_events += launch->n_events;
        add(sweep, &graphs->device_ns, launch->device_ns);
    }
    struct ot_level *owner = operator_at(sweep, launch->call_ts_ns);
    struct ot_stack_frame *frame = frame_of(sweep, owner);
    if (frame)
        add(sweep, &frame->device_ns, launch->device_ns);
    if (!owner) {
        add_unattributed(sweep, launch, is_graph ? OT_GRAPH_LAUNCH : OT_OUTSIDE_EVERY_OPERATOR);
        return;
    }
    launch->owner_plus_1 = owner->row + 1;
    add(sweep, &row_of(sweep, owner->row)->device_self_ns, launch->device_ns);
    add(sweep, &owner->device_ns, launch->device_ns);
}

static void give_memory(struct ot_sweep *sweep, const struct ot_memory_event *event)
{
    struct ot_population *pop = sweep->intake->pop;
    struct ot_level *owner = operator_at(sweep, event->ts_ns);
    if (sweep->intake->sink)
        tell_memory(sweep, event, owner);
    if (event->bytes <= 0)
        return;
    struct ot_stack_frame *frame = frame_of(sweep, owner);
    if (frame)
        add(sweep, &frame->allocated_bytes, event->bytes);
    struct ot_session_totals *session = &pop->sessions[pop->memory[event->memory].session];
    add(sweep,
        owner ? &row_of(sweep, owner->row)->allocated_bytes
              : &session->unattributed_allocated_bytes,
        event->bytes);
}

/* Everything before `ts_ns` is known: what waited for that. Returns how many of `memory` it took.
 */
static size_t hand_out(struct ot_sweep *sweep, const struct ot_memory_event *memory,
                       size_t n_memory, int64_t ts_ns, bool is_end)
{
    for (size_t i = 0; i < sweep->n_pending; i++)
        give_launch(sweep, &sweep->intake->launches.items[sweep->pending[i]]);
    sweep->n_pending = 0;
    size_t n = 0;
    while (n < n_memory && (is_end || memory[n].ts_ns < ts_ns))
        give_memory(sweep, &memory[n++]);
    return n;
}

/* Says which one was the first, as nothing else tells where it is. */
static void warn_of_clamp(struct ot_sweep *sweep, uint32_t row_number)
{
    struct ot_population *pop = sweep->intake->pop;
    const struct ot_row *row = row_of(sweep, row_number);
    enum ot_warning warning =
        row->backend == OT_BACKEND_PYTHON ? OT_WARN_PYTHON_CLAMPED : OT_WARN_CLAMPED;
    if (pop->warnings.of[warning].n == 0) {
        ot_str_clear(&sweep->line);
        ot_utf8_add_printable(&sweep->line, ot_names_text(&pop->names, row->name));
    }
    ot_warnings_add(&pop->warnings, warning, 1, ot_str_borrow(&sweep->line));
}

static int push(struct ot_sweep *sweep, const struct ot_kept *kept, const struct ot_site *site,
                bool is_warm, struct ot_err *err)
{
    if (sweep->depth >= OT_SWEEP_MAX_DEPTH)
        return ot_err_set(err, OT_ERR_INPUT, "more than %d calls inside one another",
                          OT_SWEEP_MAX_DEPTH);
    if (!ot_vec_reserve(&sweep->stack, &sweep->stack_cap, sweep->depth + 1,
                        sizeof(*sweep->stack)) ||
        !sweep->stack)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for nested calls");
    struct ot_level *below = sweep->depth ? &sweep->stack[sweep->depth - 1] : NULL;
    const struct ot_row *row = row_of(sweep, site->row);
    int backend = row->backend;
    uint32_t frame = below ? below->frame : sweep->thread_frame;
    if (sweep->has_frames) {
        int code = ot_stacks_enter(sweep->intake->stacks, frame, backend, row->name, &frame, err);
        if (code < 0)
            return code;
    }
    struct ot_level level = {
        .end_ns = ot_ns_add(kept->ts_ns, kept->dur_ns),
        .dur_ns = kept->dur_ns,
        .kept = kept,
        .row = site->row,
        .frame = frame,
        .owner = below ? below->owner : NO_LEVEL,
        .is_operator = backend == OT_BACKEND_PYTORCH,
        .is_warm = is_warm,
    };
    if (level.is_operator)
        level.owner = (uint32_t)sweep->depth;
    if (below && level.end_ns > below->end_ns) {
        level.end_ns = below->end_ns;
        level.dur_ns = below->end_ns - kept->ts_ns;
        warn_of_clamp(sweep, site->row);
    }
    if (below)
        below->children_ns += level.dur_ns;
    sweep->stack[sweep->depth++] = level;
    return OT_OK;
}

/* What a slice adds beside its own time. */
static int note(struct ot_sweep *sweep, const struct ot_kept *kept, uint32_t slice,
                const struct ot_site *site, uint32_t track, struct ot_err *err)
{
    const struct ot_row *row = row_of(sweep, site->row);
    int64_t end_ns = ot_ns_add(kept->ts_ns, kept->dur_ns);
    int code = OT_OK;
    if (row->synchronizes)
        code = ot_spans_add(&sweep->synchronization, track, kept->ts_ns, end_ns, err);
    if (code == OT_OK && row->compiles)
        code = ot_spans_add(&sweep->compilation, track, kept->ts_ns, end_ns, err);
    if (code < 0 || !kept->launch_plus_1)
        return code;
    uint32_t launch = kept->launch_plus_1 - 1;
    const struct ot_launch *item = &sweep->intake->launches.items[launch];
    if (item->call != slice || item->n_events == 0)
        return OT_OK;
    if (!ot_vec_reserve(&sweep->pending, &sweep->pending_cap, sweep->n_pending + 1,
                        sizeof(*sweep->pending)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for launches");
    sweep->pending[sweep->n_pending++] = launch;
    return OT_OK;
}

static bool is_warm(const struct ot_kept *kept, const struct ot_phase_process *phases)
{
    if (kept->has_phase)
        return kept->is_warm;
    return phases && ot_phases_is_warm(phases, kept->ts_ns);
}

/* Annotations and Python frames are no part of the stacks of calls. */
static int enter_thread(struct ot_sweep *sweep, const struct ot_group *group, struct ot_err *err)
{
    struct ot_stacks *stacks = sweep->intake->stacks;
    const struct ot_stack_track track = {
        .session = group->session, .host = group->host, .vpid = group->vpid, .vtid = group->vtid};
    sweep->has_frames = stacks && group->lane == OT_LANE_CALLS;
    sweep->thread_frame = OT_STACKS_ROOT;
    return sweep->has_frames ? ot_stacks_enter_track(stacks, &track, &sweep->thread_frame, err)
                             : OT_OK;
}

int ot_sweep_group(struct ot_sweep *sweep, const struct ot_group *group, uint32_t track,
                   const struct ot_memory_event *memory, size_t n_memory, struct ot_err *err)
{
    const struct ot_intake *intake = sweep->intake;
    const struct ot_phase_process *phases =
        group->lane == OT_LANE_CALLS ? ot_phases_find(&sweep->phases, group) : NULL;
    size_t n_given = 0;
    int64_t now_ns = INT64_MIN;
    sweep->sink_err = err;
    int code = enter_thread(sweep, group, err);
    for (size_t i = 0; i < group->n_slices && code == OT_OK; i++) {
        uint32_t slice = sweep->order[group->first + i];
        const struct ot_kept *kept = &intake->kept[slice];
        const struct ot_site *site = &intake->sites.of[kept->site];
        if (kept->ts_ns > now_ns) {
            n_given += hand_out(sweep, memory + n_given, n_memory - n_given, kept->ts_ns, false);
            now_ns = kept->ts_ns;
        }
        close_until(sweep, kept->ts_ns);
        code = push(sweep, kept, site, is_warm(kept, phases), err);
        if (code == OT_OK)
            code = note(sweep, kept, slice, site, track, err);
        if (sweep->sink_code < 0)
            code = sweep->sink_code;
    }
    if (code < 0)
        return code;
    hand_out(sweep, memory + n_given, n_memory - n_given, 0, true);
    while (sweep->depth)
        close_top(sweep);
    return sweep->sink_code;
}

static void tell_device_slice(struct ot_sweep *sweep, const struct ot_kept *kept)
{
    const struct ot_intake *intake = sweep->intake;
    uint32_t owner_plus_1 =
        kept->launch_plus_1 ? intake->launches.items[kept->launch_plus_1 - 1].owner_plus_1 : 0;
    const struct ot_fold_slice slice = {
        .row = intake->sites.of[kept->site].row,
        .has_parent = owner_plus_1 > 0,
        .parent = owner_plus_1 ? owner_plus_1 - 1 : 0,
        .ts_ns = kept->ts_ns,
        .dur_ns = kept->dur_ns,
        .self_ns = kept->dur_ns,
    };
    tell_slice(sweep, &slice);
}

int ot_sweep_device(struct ot_sweep *sweep, const struct ot_group *group, uint32_t owner,
                    struct ot_device *device, struct ot_err *err)
{
    int code = OT_OK;
    sweep->sink_err = err;
    for (size_t i = 0; i < group->n_slices && code == OT_OK; i++) {
        const struct ot_kept *kept = &sweep->intake->kept[sweep->order[group->first + i]];
        if (sweep->intake->sink)
            tell_device_slice(sweep, kept);
        device->n_events++;
        add(sweep, &device->sum_ns, kept->dur_ns);
        code = ot_spans_add(&sweep->device, owner, kept->ts_ns,
                            ot_ns_add(kept->ts_ns, kept->dur_ns), err);
    }
    return code == OT_OK ? sweep->sink_code : code;
}

void ot_sweep_release(struct ot_sweep *sweep)
{
    ot_phases_release(&sweep->phases);
    ot_spans_release(&sweep->synchronization);
    ot_spans_release(&sweep->compilation);
    ot_spans_release(&sweep->device);
    free(sweep->stack);
    free(sweep->pending);
    ot_str_release(&sweep->line);
    *sweep = (struct ot_sweep){0};
}
