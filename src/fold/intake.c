#include "fold/intake.h"

#include <stdlib.h>

#include "base/sum.h"
#include "base/vec.h"
#include "stats/rules.h"

enum { MAX_SESSIONS = 1 << 16 };

int ot_intake_init(struct ot_intake *intake, struct ot_err *err)
{
    uint32_t id = 0;
    intake->sites.pop = intake->pop;
    return ot_names_intern(&intake->pop->names, ot_text_of(""), &id, err);
}

struct ot_session_totals *ot_intake_session(struct ot_intake *intake, uint32_t session,
                                            struct ot_err *err)
{
    struct ot_population *pop = intake->pop;
    if (session >= MAX_SESSIONS || !ot_vec_reserve(&pop->sessions, &intake->sessions_cap,
                                                   (size_t)session + 1, sizeof(*pop->sessions))) {
        ot_err_set(err, OT_ERR_NOMEM, "out of memory for sessions");
        return NULL;
    }
    while (pop->n_sessions <= session)
        pop->sessions[pop->n_sessions++] = (struct ot_session_totals){0};
    return &pop->sessions[session];
}

/* --- slices -------------------------------------------------------------------------------------
 */

static int keep(struct ot_intake *intake, const struct ot_kept *kept, struct ot_err *err)
{
    if (intake->n_kept >= OT_KEPT_MAX ||
        !ot_vec_reserve(&intake->kept, &intake->kept_cap, intake->n_kept + 1, sizeof(*kept)))
        return ot_err_set(
            err, OT_ERR_NOMEM,
            "out of memory for slices: %zu were read; `optally tally --no-self` needs "
            "none for them",
            intake->n_kept);
    intake->sites.groups[intake->sites.of[kept->site].group].n_slices++;
    intake->kept[intake->n_kept++] = *kept;
    return OT_OK;
}

static void add_call(struct ot_intake *intake, uint32_t row_number, int64_t dur_ns, int64_t self_ns)
{
    struct ot_row *row = &intake->pop->rows[row_number];
    struct ot_totals call = {.n_calls = 1,
                             .inclusive_ns = dur_ns,
                             .self_ns = self_ns,
                             .min_ns = dur_ns,
                             .max_ns = dur_ns};
    intake->pop->counts.overflowed_sums += ot_totals_add(&row->totals, &call);
}

static int note_times(struct ot_intake *intake, uint32_t session, int64_t start_ns, int64_t dur_ns,
                      struct ot_err *err)
{
    struct ot_session_totals *totals = ot_intake_session(intake, session, err);
    if (!totals)
        return OT_ERR_NOMEM;
    int64_t end_ns = 0;
    if (__builtin_add_overflow(start_ns, dur_ns, &end_ns))
        end_ns = INT64_MAX;
    if (!totals->has_times || start_ns < totals->start_ns)
        totals->start_ns = start_ns;
    if (!totals->has_times || end_ns > totals->end_ns)
        totals->end_ns = end_ns;
    totals->has_times = true;
    return OT_OK;
}

/* What an analysis wants to know of a slice beside its times. */
static int note_args(struct ot_intake *intake, const struct ot_event *event, struct ot_kept *kept,
                     struct ot_err *err)
{
    const struct ot_event_args *args = event->args;
    const struct ot_backend *backend = &ot_backends[event->backend];
    bool is_call = backend->lane == OT_LANE_CALLS;
    int code = OT_OK;
    if (backend->in_population)
        code = note_times(intake, event->session, event->ts_ns, event->dur_ns, err);
    struct ot_session_totals *session = ot_intake_session(intake, event->session, err);
    if (code < 0 || !session)
        return OT_ERR_NOMEM;
    session->has_python_stacks |= event->backend == OT_BACKEND_PYTHON || args->has_call_stack;
    if (is_call && args->has_phase) {
        kept->has_phase = true;
        kept->is_warm = ot_rules_is_warm(args->phase);
        session->has_phases = true;
    }
    if (event->backend == OT_BACKEND_PYTORCH && args->shapes.len)
        code = ot_shapes_count(&intake->shapes, intake->pop, intake->sites.of[kept->site].row,
                               args->shapes, err);
    if (code < 0)
        return code;
    uint32_t launch = 0;
    if (event->backend == OT_BACKEND_DEVICE && args->has_correlation) {
        code = ot_launches_add_work(&intake->launches, event->session, args->correlation,
                                    event->dur_ns, &launch, err);
        kept->launch_plus_1 = launch + 1;
    } else if (event->backend == OT_BACKEND_DEVICE) {
        struct ot_device_share *share = &session->unattributed[OT_NO_LAUNCH_RECORD];
        share->n_events++;
        intake->pop->counts.overflowed_sums += ot_sum_add(&share->device_ns, event->dur_ns);
    } else if (is_call && event->backend != OT_BACKEND_PYTORCH && args->has_correlation) {
        code = ot_launches_add_call(&intake->launches, event->session, args->correlation,
                                    (uint32_t)intake->n_kept, event->ts_ns, &launch, err);
        kept->launch_plus_1 = launch + 1;
    }
    return code;
}

/* A process or thread that the trace names stands for the name's id. */
static int number_labels(struct ot_intake *intake, const struct ot_event *event, int64_t *vpid,
                         uint64_t *vtid, struct ot_err *err)
{
    *vpid = event->vpid;
    *vtid = event->vtid;
    uint32_t id = 0;
    int code = OT_OK;
    if (event->args->process_label.len) {
        code = ot_names_intern(&intake->pop->names, event->args->process_label, &id, err);
        *vpid = ot_vpid_of_name(id);
    }
    if (code == OT_OK && event->args->thread_label.len) {
        code = ot_names_intern(&intake->pop->names, event->args->thread_label, &id, err);
        *vtid = ot_vtid_of_name(id);
    }
    return code;
}

/* What tells devices apart: the number that a slice tells or that of its process, or a name's id.
 */
static int find_device(struct ot_intake *intake, const struct ot_event *event, int64_t vpid,
                       int64_t *ret_device, struct ot_err *err)
{
    const struct ot_event_args *args = event->args;
    *ret_device = args->has_device ? args->device : vpid;
    if (args->device_label.len == 0)
        return OT_OK;
    uint32_t id = 0;
    int code = ot_names_intern(&intake->pop->names, args->device_label, &id, err);
    *ret_device = ot_vpid_of_name(id);
    return code;
}

static bool is_kept(const struct ot_intake *intake, int backend)
{
    if (intake->depth == OT_FOLD_SUMS)
        return false;
    if (ot_backends[backend].lane != OT_LANE_FLAT)
        return true;
    return intake->depth == OT_FOLD_ANALYSIS && backend == OT_BACKEND_DEVICE;
}

/* What is in no lane, and so not kept, is known at once. */
static int tell_unkept(const struct ot_intake *intake, uint32_t row, int64_t ts_ns, int64_t dur_ns,
                       int64_t self_ns, struct ot_err *err)
{
    const struct ot_fold_slice slice = {
        .row = row, .ts_ns = ts_ns, .dur_ns = dur_ns, .self_ns = self_ns};
    return intake->sink ? intake->sink->slice(intake->sink->context, &slice, err) : OT_OK;
}

int ot_intake_add_slice(struct ot_intake *intake, const struct ot_event *event, struct ot_err *err)
{
    struct ot_site_key key = {
        .name = event->name,
        .category = event->args->category,
        .host = event->host,
        .session = event->session,
        .backend = event->backend,
    };
    int code = number_labels(intake, event, &key.vpid, &key.vtid, err);
    if (code < 0)
        return code;
    if (event->backend == OT_BACKEND_DEVICE)
        code = find_device(intake, event, key.vpid, &key.device, err);
    if (code < 0)
        return code;
    struct ot_kept kept = {
        .ts_ns = event->ts_ns, .dur_ns = event->dur_ns, .comes_last = event->was_open};
    uint32_t site = 0;
    code = ot_sites_find(&intake->sites, &key, &site, err);
    if (code < 0)
        return code;
    kept.site = site;
    bool is_flat = ot_backends[event->backend].lane == OT_LANE_FLAT;
    add_call(intake, intake->sites.of[site].row, event->dur_ns, is_flat ? event->dur_ns : 0);
    if (intake->depth == OT_FOLD_ANALYSIS)
        code = note_args(intake, event, &kept, err);
    if (code < 0)
        return code;
    if (is_kept(intake, event->backend))
        return keep(intake, &kept, err);
    return tell_unkept(intake, intake->sites.of[site].row, event->ts_ns, event->dur_ns,
                       event->dur_ns, err);
}

int ot_intake_add_paired(struct ot_intake *intake, const struct ot_slice *slice, struct ot_err *err)
{
    const struct ot_names *names = &intake->pop->names;
    struct ot_site_key key = {
        .name = ot_names_text(names, slice->name),
        .category = ot_text_of(ot_backends[slice->backend].name),
        .host = ot_names_text(names, slice->host),
        .vpid = slice->vpid,
        .vtid = slice->vtid,
        .backend = slice->backend,
    };
    struct ot_kept kept = {.ts_ns = slice->ts_ns, .dur_ns = slice->dur_ns, .comes_last = true};
    uint32_t site = 0;
    int code = ot_sites_find(&intake->sites, &key, &site, err);
    if (code < 0)
        return code;
    kept.site = site;
    uint32_t row = intake->sites.of[site].row;
    add_call(intake, row, slice->dur_ns, 0);
    if (slice->shapes && slice->backend == OT_BACKEND_PYTORCH)
        code = ot_shapes_count(&intake->shapes, intake->pop, row,
                               ot_names_text(names, slice->shapes - 1), err);
    if (code < 0)
        return code;
    const struct ot_backend *backend = &ot_backends[slice->backend];
    if (backend->in_population)
        code = note_times(intake, 0, slice->ts_ns, slice->dur_ns, err);
    else if (backend->lane == OT_LANE_CALLS) /* of nobody knows what: no part of an operator */
        return tell_unkept(intake, row, slice->ts_ns, slice->dur_ns, 0, err);
    return code == OT_OK ? keep(intake, &kept, err) : code;
}

int ot_intake_add_memory(struct ot_intake *intake, const struct ot_event *event, struct ot_err *err)
{
    if (intake->depth != OT_FOLD_ANALYSIS)
        return OT_OK;
    struct ot_population *pop = intake->pop;
    const struct ot_event_args *args = event->args;
    struct ot_group group = {.session = event->session, .lane = OT_LANE_CALLS};
    struct ot_memory_event memory = {
        .ts_ns = event->ts_ns,
        .bytes = args->bytes,
        .has_total = args->has_total_allocated,
        .total_allocated = args->total_allocated,
    };
    struct ot_session_totals *session = ot_intake_session(intake, event->session, err);
    if (!session)
        return OT_ERR_NOMEM;
    session->n_memory_events++;
    int code = number_labels(intake, event, &group.vpid, &group.vtid, err);
    if (code == OT_OK)
        code = ot_names_intern(&pop->names, event->host, &group.host, err);
    if (code == OT_OK)
        code = ot_sites_group(&intake->sites, &group, &memory.group, err);
    if (code == OT_OK)
        code = ot_memory_device(&intake->memory, pop, event->session, args->device_type,
                                args->device_id, &memory.memory, err);
    return code == OT_OK ? ot_memory_add(&intake->memory, pop, &memory, err) : code;
}

void ot_intake_release(struct ot_intake *intake)
{
    ot_sites_release(&intake->sites);
    free(intake->kept);
    ot_shapes_release(&intake->shapes);
    ot_launches_release(&intake->launches);
    ot_memory_release(&intake->memory);
    *intake = (struct ot_intake){0};
}
