#include "timeline/places.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/backend.h"

const struct ot_lane_class ot_lane_classes[OT_LANE_KINDS] = {
    [OT_LANE_KIND_CALLS] = {.name = "calls", .nests = true, .is_host = true},
    [OT_LANE_KIND_DEVICE] = {.name = "work"},
    [OT_LANE_KIND_SYNC] = {.name = "waits"},
    [OT_LANE_KIND_DEVICE_ANNOTATIONS] = {.name = "annotations"},
    [OT_LANE_KIND_ANNOTATIONS] = {.name = "annotations", .nests = true, .is_host = true},
    [OT_LANE_KIND_PYTHON] = {.name = "Python", .nests = true, .is_host = true},
    [OT_LANE_KIND_OTHER] = {.name = "other"},
};

enum ot_lane_kind ot_places_kind_of(int backend)
{
    static const enum ot_lane_kind nesting[] = {
        [OT_LANE_CALLS] = OT_LANE_KIND_CALLS,
        [OT_LANE_ANNOTATIONS] = OT_LANE_KIND_ANNOTATIONS,
        [OT_LANE_PYTHON] = OT_LANE_KIND_PYTHON,
    };
    static const enum ot_lane_kind flat[OT_BACKEND_COUNT] = {
        [OT_BACKEND_DEVICE] = OT_LANE_KIND_DEVICE,
        [OT_BACKEND_SYNC] = OT_LANE_KIND_SYNC,
        [OT_BACKEND_DEVICE_ANNOTATION] = OT_LANE_KIND_DEVICE_ANNOTATIONS,
        [OT_BACKEND_OTHER] = OT_LANE_KIND_OTHER,
    };
    enum ot_lane lane = ot_backends[backend].lane;
    return lane == OT_LANE_FLAT ? flat[backend] : nesting[lane];
}

uint64_t ot_places_new_uuid(struct ot_places *places)
{
    return ++places->last_uuid;
}

static int put(struct ot_map *map, uint64_t hash, size_t index, struct ot_err *err)
{
    return ot_map_put(map, hash, index) ? OT_OK
                                        : ot_err_set(err, OT_ERR_NOMEM, "out of memory for tracks");
}

/* Room for one more in an array of places. */
static int reserve(void *items, size_t *cap, size_t n, size_t item_bytes, struct ot_err *err)
{
    if (n >= OT_PLACES_MAX)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d tracks", OT_PLACES_MAX);
    return ot_vec_reserve(items, cap, n + 1, item_bytes)
               ? OT_OK
               : ot_err_set(err, OT_ERR_NOMEM, "out of memory for tracks");
}

/* --- processes ----------------------------------------------------------------------------------
 */

static bool is_process(const struct ot_place_process *process, const struct ot_place_key *key)
{
    return process->vpid == key->vpid && process->session == key->session &&
           process->host == key->host;
}

static bool same_process(const void *owner, size_t index, const void *key)
{
    return is_process(&((const struct ot_places *)owner)->processes[index], key);
}

static bool same_pid(const void *owner, size_t index, const void *key)
{
    return ((const struct ot_places *)owner)->processes[index].vpid == *(const int64_t *)key;
}

static uint64_t hash_process(const struct ot_place_key *key)
{
    return ot_hash_mix(ot_hash_mix(ot_hash_mix(0, key->session), key->host), (uint64_t)key->vpid);
}

static int add_process(struct ot_places *places, const struct ot_place_key *key, struct ot_err *err)
{
    uint32_t number = (uint32_t)places->n_processes;
    int code = reserve(&places->processes, &places->processes_cap, number,
                       sizeof(*places->processes), err);
    if (code == OT_OK)
        code = put(&places->process_map, hash_process(key), number, err);
    if (code < 0)
        return code;
    struct ot_place_process *process = &places->processes[places->n_processes++];
    *process = (struct ot_place_process){
        .session = key->session,
        .host = key->host,
        .vpid = key->vpid,
        .uuid = ot_places_new_uuid(places),
    };
    uint64_t hash = ot_hash_mix(0, (uint64_t)key->vpid);
    int64_t twin = ot_map_find(&places->pid_map, hash, same_pid, places, &key->vpid);
    if (twin == OT_MAP_NONE)
        return put(&places->pid_map, hash, number, err);
    process->shares_pid = true;
    places->processes[twin].shares_pid = true;
    return OT_OK;
}

int ot_places_process(struct ot_places *places, const struct ot_place_key *key,
                      uint32_t *ret_process, struct ot_err *err)
{
    if (places->n_processes && is_process(&places->processes[places->last_process], key)) {
        *ret_process = places->last_process;
        return OT_OK;
    }
    int64_t found = ot_map_find(&places->process_map, hash_process(key), same_process, places, key);
    if (found == OT_MAP_NONE) {
        found = (int64_t)places->n_processes;
        int code = add_process(places, key, err);
        if (code < 0)
            return code;
    }
    *ret_process = places->last_process = (uint32_t)found;
    return OT_OK;
}

/* --- threads ------------------------------------------------------------------------------------
 */

struct thread_key {
    uint32_t process;
    uint64_t vtid;
    uint32_t key;
};

static bool is_thread(const struct ot_place_thread *thread, const struct thread_key *key)
{
    return thread->vtid == key->vtid && thread->process == key->process && thread->key == key->key;
}

static bool same_thread(const void *owner, size_t index, const void *key)
{
    return is_thread(&((const struct ot_places *)owner)->threads[index], key);
}

static bool same_tid(const void *owner, size_t index, const void *key)
{
    const struct ot_place_thread *thread = &((const struct ot_places *)owner)->threads[index];
    const struct thread_key *wanted = key;
    return thread->vtid == wanted->vtid && thread->process == wanted->process;
}

static uint64_t hash_tid(const struct thread_key *key)
{
    return ot_hash_mix(ot_hash_mix(0, key->process), key->vtid);
}

static uint64_t hash_thread(const struct thread_key *key)
{
    return ot_hash_mix(hash_tid(key), key->key);
}

static int add_thread(struct ot_places *places, const struct thread_key *key, struct ot_err *err)
{
    uint32_t number = (uint32_t)places->n_threads;
    int code =
        reserve(&places->threads, &places->threads_cap, number, sizeof(*places->threads), err);
    if (code == OT_OK)
        code = put(&places->thread_map, hash_thread(key), number, err);
    if (code < 0)
        return code;
    struct ot_place_thread *thread = &places->threads[places->n_threads++];
    *thread = (struct ot_place_thread){
        .process = key->process,
        .vtid = key->vtid,
        .key = key->key,
        .uuid = ot_places_new_uuid(places),
    };
    int64_t twin = ot_map_find(&places->tid_map, hash_tid(key), same_tid, places, key);
    if (twin == OT_MAP_NONE)
        return put(&places->tid_map, hash_tid(key), number, err);
    thread->shares_tid = true;
    return OT_OK;
}

int ot_places_thread(struct ot_places *places, const struct ot_place_key *key, uint32_t *ret_thread,
                     struct ot_err *err)
{
    struct thread_key wanted = {.vtid = key->vtid, .key = key->thread_key};
    int code = ot_places_process(places, key, &wanted.process, err);
    if (code < 0)
        return code;
    if (places->n_threads && is_thread(&places->threads[places->last_thread], &wanted)) {
        *ret_thread = places->last_thread;
        return OT_OK;
    }
    int64_t found =
        ot_map_find(&places->thread_map, hash_thread(&wanted), same_thread, places, &wanted);
    if (found == OT_MAP_NONE) {
        found = (int64_t)places->n_threads;
        code = add_thread(places, &wanted, err);
        if (code < 0)
            return code;
    }
    *ret_thread = places->last_thread = (uint32_t)found;
    return OT_OK;
}

/* --- lanes --------------------------------------------------------------------------------------
 */

static int add_lane(struct ot_places *places, const struct ot_place_lane *lane, uint32_t *ret_lane,
                    struct ot_err *err)
{
    int code =
        reserve(&places->lanes, &places->lanes_cap, places->n_lanes, sizeof(*places->lanes), err);
    if (code < 0)
        return code;
    *ret_lane = (uint32_t)places->n_lanes;
    places->lanes[places->n_lanes++] = *lane;
    return OT_OK;
}

int ot_places_lane(struct ot_places *places, uint32_t thread, enum ot_lane_kind kind,
                   uint32_t *ret_lane, struct ot_err *err)
{
    uint32_t *known = &places->threads[thread].lanes[kind];
    if (*known == 0) {
        const struct ot_place_lane lane = {.kind = kind, .owner = thread};
        uint32_t number = 0;
        int code = add_lane(places, &lane, &number, err);
        if (code < 0)
            return code;
        *known = number + 1;
        if (ot_lane_classes[kind].is_host)
            places->processes[places->threads[thread].process].is_host = true;
    }
    *ret_lane = *known - 1;
    return OT_OK;
}

static bool same_counter(const void *owner, size_t index, const void *key)
{
    const struct ot_place_lane *lane = &((const struct ot_places *)owner)->lanes[index];
    const struct ot_place_lane *wanted = key;
    return lane->kind == wanted->kind && lane->owner == wanted->owner &&
           lane->device_type == wanted->device_type && lane->device_id == wanted->device_id;
}

int ot_places_counter(struct ot_places *places, uint32_t process, const struct ot_event_args *args,
                      uint32_t *ret_lane, struct ot_err *err)
{
    const struct ot_place_lane lane = {
        .kind = args->has_total_allocated ? OT_LANE_KIND_COUNTER : OT_LANE_KIND_SUM,
        .owner = process,
        .device_type = args->has_device_type ? args->device_type : -1,
        .device_id = args->has_device_id ? args->device_id : -1,
    };
    uint64_t hash = ot_hash_mix(ot_hash_mix(ot_hash_mix(0, lane.kind), process),
                                (uint64_t)lane.device_type << 32 ^ (uint64_t)lane.device_id);
    int64_t found = ot_map_find(&places->counter_map, hash, same_counter, places, &lane);
    if (found != OT_MAP_NONE) {
        *ret_lane = (uint32_t)found;
        return OT_OK;
    }
    int code = add_lane(places, &lane, ret_lane, err);
    if (code < 0)
        return code;
    places->lanes[*ret_lane].uuid = ot_places_new_uuid(places);
    return put(&places->counter_map, hash, *ret_lane, err);
}

void ot_places_release(struct ot_places *places)
{
    free(places->processes);
    free(places->threads);
    free(places->lanes);
    ot_map_release(&places->process_map);
    ot_map_release(&places->pid_map);
    ot_map_release(&places->thread_map);
    ot_map_release(&places->tid_map);
    ot_map_release(&places->counter_map);
    *places = (struct ot_places){0};
}
