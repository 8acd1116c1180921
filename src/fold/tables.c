#include "fold/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/sum.h"
#include "base/vec.h"
#include "fold/activity.h"
#include "fold/order.h"
#include "fold/sweep.h"

/* --- threads ------------------------------------------------------------------------------------
 */

struct tracks {
    struct ot_population *pop;
    struct ot_map map;
    size_t cap;
};

static bool same_track(const void *owner, size_t index, const void *key)
{
    const struct ot_track *track = &((const struct ot_population *)owner)->tracks[index];
    const struct ot_track *wanted = key;
    return track->vtid == wanted->vtid && track->vpid == wanted->vpid &&
           track->host == wanted->host && track->session == wanted->session;
}

static uint64_t hash_of(const struct ot_track *key)
{
    uint64_t hash = ot_hash_mix(ot_hash_mix(0, key->vtid), (uint64_t)key->vpid);
    return ot_hash_mix(hash, (uint64_t)key->session << 32 | key->host);
}

static int list_track(struct tracks *tracks, const struct ot_track *track, struct ot_err *err)
{
    struct ot_population *pop = tracks->pop;
    uint64_t hash = hash_of(track);
    int64_t found = ot_map_find(&tracks->map, hash, same_track, pop, track);
    if (found != OT_MAP_NONE) {
        pop->tracks[found].in_population |= track->in_population;
        return OT_OK;
    }
    if (!ot_vec_reserve(&pop->tracks, &tracks->cap, pop->n_tracks + 1, sizeof(*pop->tracks)) ||
        !ot_map_put(&tracks->map, hash, pop->n_tracks))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    pop->tracks[pop->n_tracks++] = *track;
    return OT_OK;
}

/* In the order of the rows. */
static int list_tracks(struct tracks *tracks, struct ot_err *err)
{
    struct ot_population *pop = tracks->pop;
    int code = OT_OK;
    for (size_t i = 0; i < pop->n_rows && code == OT_OK; i++) {
        const struct ot_row *row = &pop->rows[i];
        bool in_population = ot_backends[row->backend].in_population;
        if (row->totals.n_calls == 0 || !(in_population || row->compiles))
            continue;
        struct ot_track track = {.session = row->session,
                                 .host = row->host,
                                 .vpid = row->vpid,
                                 .vtid = row->vtid,
                                 .in_population = in_population};
        code = list_track(tracks, &track, err);
    }
    return code;
}

/* --- devices ------------------------------------------------------------------------------------
 */

static int add_device(struct ot_sweep *sweep, const struct ot_group *group, size_t *cap,
                      struct ot_err *err)
{
    struct ot_population *pop = sweep->intake->pop;
    if (!ot_vec_reserve(&pop->devices, cap, pop->n_devices + 1, sizeof(*pop->devices)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for devices");
    struct ot_device *device = &pop->devices[pop->n_devices];
    *device = (struct ot_device){.session = group->session};
    int code = OT_OK;
    if (!ot_vpid_is_name(&pop->names, group->vpid, &device->label)) {
        char number[32];
        snprintf(number, sizeof(number), "%" PRId64, group->vpid);
        code = ot_names_intern(&pop->names, ot_text_of(number), &device->label, err);
    }
    if (code == OT_OK)
        code = ot_sweep_device(sweep, group, (uint32_t)pop->n_devices, device, err);
    pop->n_devices += code == OT_OK;
    return code;
}

static void set_device_union(void *context, uint32_t owner, int64_t ns)
{
    ((struct ot_population *)context)->devices[owner].union_ns = ns;
}

static void set_synchronization(void *context, uint32_t owner, int64_t ns)
{
    ((struct ot_population *)context)->tracks[owner].synchronization_ns = ns;
}

static void set_compilation(void *context, uint32_t owner, int64_t ns)
{
    ((struct ot_population *)context)->tracks[owner].compilation_ns = ns;
}

/* Work whose launch nobody saw: the stack never came by it. */
static void add_unlaunched(struct ot_intake *intake)
{
    struct ot_population *pop = intake->pop;
    for (size_t i = 0; i < intake->launches.n_items; i++) {
        const struct ot_launch *launch = &intake->launches.items[i];
        if (launch->call != OT_LAUNCH_NO_CALL || launch->n_events == 0)
            continue;
        struct ot_device_share *share =
            &pop->sessions[launch->session].unattributed[OT_NO_LAUNCH_RECORD];
        share->n_events += launch->n_events;
        pop->counts.overflowed_sums += ot_sum_add(&share->device_ns, launch->device_ns);
    }
}

/* What belongs to no thread is the root's own. */
static void finish_stacks(struct ot_intake *intake)
{
    struct ot_population *pop = intake->pop;
    struct ot_stacks *stacks = intake->stacks;
    for (size_t i = 0; i < pop->n_sessions; i++)
        pop->counts.overflowed_sums +=
            ot_sum_add(&stacks->frames[OT_STACKS_ROOT].device_ns,
                       pop->sessions[i].unattributed[OT_NO_LAUNCH_RECORD].device_ns);
    ot_stacks_finish(stacks);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

/* The memory events of one group, of those that are ordered by group. */
struct memory_span {
    const struct ot_memory_event *events;
    size_t n;
};

static struct memory_span memory_of(const struct ot_memory_events *events, size_t *from,
                                    size_t group)
{
    struct memory_span span = {.events = events->n_items ? &events->items[*from] : NULL};
    while (*from < events->n_items && events->items[*from].group == group) {
        span.n++;
        (*from)++;
    }
    return span;
}

static int sweep_threads(struct ot_sweep *sweep, struct tracks *tracks, struct ot_err *err)
{
    struct ot_intake *intake = sweep->intake;
    size_t memory_from = 0;
    int code = OT_OK;
    for (size_t g = 0; g < intake->sites.n_groups && code == OT_OK; g++) {
        const struct ot_group *group = &intake->sites.groups[g];
        if (group->lane == OT_LANE_FLAT)
            continue;
        struct memory_span memory = memory_of(&intake->memory, &memory_from, g);
        struct ot_track key = {.session = group->session,
                               .host = group->host,
                               .vpid = group->vpid,
                               .vtid = group->vtid};
        /* A thread that is not listed has nothing that would be added up by its number. */
        int64_t track = ot_map_find(&tracks->map, hash_of(&key), same_track, tracks->pop, &key);
        code = ot_sweep_group(sweep, group, track == OT_MAP_NONE ? 0 : (uint32_t)track,
                              memory.events, memory.n, err);
    }
    return code;
}

/* After the threads: what launched the work of a device is known then. */
static int sweep_devices(struct ot_sweep *sweep, struct ot_err *err)
{
    const struct ot_sites *sites = &sweep->intake->sites;
    size_t devices_cap = 0;
    int code = OT_OK;
    for (size_t g = 0; g < sites->n_groups && code == OT_OK; g++) {
        const struct ot_group *group = &sites->groups[g];
        if (group->lane == OT_LANE_FLAT && group->n_slices)
            code = add_device(sweep, group, &devices_cap, err);
    }
    return code;
}

static int fill(struct ot_sweep *sweep, struct tracks *tracks, struct ot_err *err)
{
    struct ot_intake *intake = sweep->intake;
    struct ot_population *pop = intake->pop;
    bool is_analysis = intake->depth == OT_FOLD_ANALYSIS;
    int code = OT_OK;
    if (is_analysis) {
        code = ot_memory_finish(&intake->memory, pop, intake->activity, err);
        if (code == OT_OK)
            code = list_tracks(tracks, err);
        if (code == OT_OK)
            code = ot_phases_init(&sweep->phases, intake, err);
    }
    if (code == OT_OK && intake->stacks)
        code = ot_stacks_init(intake->stacks, err);
    if (code == OT_OK)
        code = sweep_threads(sweep, tracks, err);
    if (code == OT_OK)
        code = sweep_devices(sweep, err);
    if (code == OT_OK && intake->activity)
        code = ot_activity_fill(intake->activity, intake, sweep->order, err);
    if (code < 0)
        return code;
    if (is_analysis) {
        add_unlaunched(intake);
        if (intake->stacks)
            finish_stacks(intake);
        ot_spans_sum(&sweep->device, set_device_union, pop);
        ot_spans_sum(&sweep->synchronization, set_synchronization, pop);
        ot_spans_sum(&sweep->compilation, set_compilation, pop);
    }
    return OT_OK;
}

int ot_tables_fill(struct ot_intake *intake, struct ot_err *err)
{
    uint32_t *order = NULL;
    int code = ot_order_slices(intake, &order, err);
    struct ot_sweep sweep = {.intake = intake, .order = order};
    struct tracks tracks = {.pop = intake->pop};
    if (code == OT_OK)
        code = fill(&sweep, &tracks, err);
    ot_sweep_release(&sweep);
    ot_map_release(&tracks.map);
    free(order);
    return code;
}
