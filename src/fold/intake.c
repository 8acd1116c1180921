#include "fold/intake.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sum.h"
#include "base/vec.h"
#include "stats/rules.h"

enum { MAX_SITES = 1 << 22, MAX_SESSIONS = 1 << 16 };

int ot_intake_init(struct ot_intake *intake, struct ot_err *err)
{
    uint32_t id = 0;
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

/* --- groups -------------------------------------------------------------------------------------
 */

static bool same_group(const void *owner, size_t index, const void *key)
{
    const struct ot_group *group = &((const struct ot_intake *)owner)->groups[index];
    const struct ot_group *wanted = key;
    return group->vtid == wanted->vtid && group->vpid == wanted->vpid &&
           group->session == wanted->session && group->host == wanted->host &&
           group->lane == wanted->lane;
}

static int find_group(struct ot_intake *intake, const struct ot_group *key, uint32_t *ret_group,
                      struct ot_err *err)
{
    uint64_t hash = ot_hash_mix(ot_hash_mix(0, key->vtid), (uint64_t)key->vpid);
    hash = ot_hash_mix(ot_hash_mix(hash, key->lane), (uint64_t)key->session << 32 | key->host);
    int64_t found = ot_map_find(&intake->group_map, hash, same_group, intake, key);
    if (found == OT_MAP_NONE) {
        if (!ot_vec_reserve(&intake->groups, &intake->groups_cap, intake->n_groups + 1,
                            sizeof(*intake->groups)) ||
            !ot_map_put(&intake->group_map, hash, intake->n_groups))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
        found = (int64_t)intake->n_groups++;
        intake->groups[found] = *key;
    }
    *ret_group = (uint32_t)found;
    return OT_OK;
}

/* --- sites --------------------------------------------------------------------------------------
 */

/* What tells the site of a slice. */
struct site_key {
    struct ot_text name;
    struct ot_text category;
    struct ot_text host;
    int64_t vpid;
    uint64_t vtid;
    int64_t device;
    uint32_t session;
    int backend;
};

static bool same_site(const void *owner, size_t index, const void *key)
{
    const struct ot_intake *intake = owner;
    const struct ot_site *site = &intake->sites[index];
    const struct site_key *wanted = key;
    const struct ot_row *row = &intake->pop->rows[site->row];
    const struct ot_names *names = &intake->pop->names;
    return row->vtid == wanted->vtid && row->vpid == wanted->vpid &&
           row->backend == wanted->backend && row->session == wanted->session &&
           site->device == wanted->device &&
           ot_text_same(ot_names_text(names, row->name), wanted->name) &&
           ot_text_same(ot_names_text(names, row->category), wanted->category) &&
           ot_text_same(ot_names_text(names, row->host), wanted->host);
}

static uint64_t hash_of(const struct site_key *key)
{
    uint64_t hash = ot_hash_bytes(key->name.bytes, key->name.len);
    hash = ot_hash_mix(hash ^ ot_hash_bytes(key->category.bytes, key->category.len), key->vtid);
    hash = ot_hash_mix(hash ^ (uint64_t)key->vpid, (uint64_t)key->device);
    return ot_hash_mix(hash, (uint64_t)key->session << 8 | (unsigned)key->backend);
}

static void read_rules(const struct ot_population *pop, struct ot_row *row, struct ot_site *site)
{
    struct ot_text name = ot_names_text(&pop->names, row->name);
    bool is_call = ot_backends[row->backend].lane == OT_LANE_CALLS;
    bool is_annotation = row->backend == OT_BACKEND_ANNOTATION;
    struct ot_text phase;
    row->synchronizes = is_call && ot_rules_synchronizes(name);
    row->compiles = (is_call || is_annotation) && ot_rules_compiles(name);
    site->names_phase = is_annotation && ot_rules_phase(name, &phase);
    site->is_graph_launch = is_call && ot_rules_is_graph_launch(name);
}

static int new_site(struct ot_intake *intake, const struct site_key *key, uint64_t hash,
                    struct ot_err *err)
{
    struct ot_population *pop = intake->pop;
    if (intake->n_sites >= MAX_SITES)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d operators and threads", MAX_SITES);
    struct ot_slice slice = {
        .session = key->session, .backend = key->backend, .vpid = key->vpid, .vtid = key->vtid};
    int code = ot_names_intern(&pop->names, key->name, &slice.name, err);
    if (code == OT_OK)
        code = ot_names_intern(&pop->names, key->category, &slice.category, err);
    if (code == OT_OK)
        code = ot_names_intern(&pop->names, key->host, &slice.host, err);
    size_t row = 0;
    if (code == OT_OK)
        code = ot_population_row(pop, &slice, &row, err);
    struct ot_site site = {.row = (uint32_t)row, .device = key->device};
    enum ot_lane lane = ot_backends[key->backend].lane;
    struct ot_group group = {.session = key->session, .lane = lane, .vpid = key->device};
    if (lane != OT_LANE_FLAT)
        group = (struct ot_group){.session = key->session,
                                  .host = slice.host,
                                  .vpid = key->vpid,
                                  .vtid = key->vtid,
                                  .lane = lane};
    if (code == OT_OK)
        code = find_group(intake, &group, &site.group, err);
    if (code < 0)
        return code;
    if (!ot_vec_reserve(&intake->sites, &intake->sites_cap, intake->n_sites + 1,
                        sizeof(*intake->sites)) ||
        !ot_map_put(&intake->site_map, hash, intake->n_sites))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for operators");
    read_rules(pop, &pop->rows[row], &site);
    intake->sites[intake->n_sites++] = site;
    return OT_OK;
}

static int find_site(struct ot_intake *intake, const struct site_key *key, uint32_t *ret_site,
                     struct ot_err *err)
{
    uint64_t hash = hash_of(key);
    int64_t found = ot_map_find(&intake->site_map, hash, same_site, intake, key);
    if (found == OT_MAP_NONE) {
        found = (int64_t)intake->n_sites;
        int code = new_site(intake, key, hash, err);
        if (code < 0)
            return code;
    }
    *ret_site = (uint32_t)found;
    return OT_OK;
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
    intake->groups[intake->sites[kept->site].group].n_slices++;
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
        code = ot_shapes_count(&intake->shapes, intake->pop, intake->sites[kept->site].row,
                               args->shapes, err);
    if (code < 0)
        return code;
    uint32_t launch = 0;
    if (event->backend == OT_BACKEND_DEVICE && args->has_correlation) {
        code = ot_launches_add_work(&intake->launches, event->session, args->correlation,
                                    event->dur_ns, &launch, err);
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

int ot_intake_add_slice(struct ot_intake *intake, const struct ot_event *event, struct ot_err *err)
{
    struct site_key key = {
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
    code = find_site(intake, &key, &site, err);
    if (code < 0)
        return code;
    kept.site = site;
    bool is_flat = ot_backends[event->backend].lane == OT_LANE_FLAT;
    add_call(intake, intake->sites[site].row, event->dur_ns, is_flat ? event->dur_ns : 0);
    if (intake->depth == OT_FOLD_ANALYSIS)
        code = note_args(intake, event, &kept, err);
    if (code == OT_OK && is_kept(intake, event->backend))
        code = keep(intake, &kept, err);
    return code;
}

int ot_intake_add_paired(struct ot_intake *intake, const struct ot_slice *slice, struct ot_err *err)
{
    const struct ot_names *names = &intake->pop->names;
    struct site_key key = {
        .name = ot_names_text(names, slice->name),
        .category = ot_text_of(ot_backends[slice->backend].name),
        .host = ot_names_text(names, slice->host),
        .vpid = slice->vpid,
        .vtid = slice->vtid,
        .backend = slice->backend,
    };
    struct ot_kept kept = {.ts_ns = slice->ts_ns, .dur_ns = slice->dur_ns, .comes_last = true};
    uint32_t site = 0;
    int code = find_site(intake, &key, &site, err);
    if (code < 0)
        return code;
    kept.site = site;
    add_call(intake, intake->sites[site].row, slice->dur_ns, 0);
    const struct ot_backend *backend = &ot_backends[slice->backend];
    if (backend->in_population)
        code = note_times(intake, 0, slice->ts_ns, slice->dur_ns, err);
    else if (backend->lane == OT_LANE_CALLS)
        return OT_OK; /* a call of nobody knows what is no part of an operator */
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
        code = find_group(intake, &group, &memory.group, err);
    if (code == OT_OK)
        code = ot_memory_device(&intake->memory, pop, event->session, args->device_type,
                                args->device_id, &memory.memory, err);
    return code == OT_OK ? ot_memory_add(&intake->memory, pop, &memory, err) : code;
}

void ot_intake_release(struct ot_intake *intake)
{
    free(intake->sites);
    free(intake->groups);
    free(intake->kept);
    ot_map_release(&intake->site_map);
    ot_map_release(&intake->group_map);
    ot_shapes_release(&intake->shapes);
    ot_launches_release(&intake->launches);
    ot_memory_release(&intake->memory);
    *intake = (struct ot_intake){0};
}
