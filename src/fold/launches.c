#include "fold/launches.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "slice/ns.h"

struct key {
    uint64_t correlation;
    uint32_t session;
};

static bool same_launch(const void *owner, size_t index, const void *key)
{
    const struct ot_launch *launch = &((const struct ot_launches *)owner)->items[index];
    const struct key *wanted = key;
    return launch->correlation == wanted->correlation && launch->session == wanted->session;
}

static int find(struct ot_launches *launches, uint32_t session, uint64_t correlation,
                uint32_t *ret_launch, struct ot_err *err)
{
    struct key key = {correlation, session};
    uint64_t hash = ot_hash_mix(ot_hash_mix(0, correlation), session);
    int64_t found = ot_map_find(&launches->map, hash, same_launch, launches, &key);
    if (found == OT_MAP_NONE) {
        if (launches->n_items >= UINT32_MAX - 1 ||
            !ot_vec_reserve(&launches->items, &launches->cap, launches->n_items + 1,
                            sizeof(*launches->items)) ||
            !ot_map_put(&launches->map, hash, launches->n_items))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for correlations");
        found = (int64_t)launches->n_items++;
        launches->items[found] = (struct ot_launch){
            .correlation = correlation, .session = session, .call = OT_LAUNCH_NO_CALL};
    }
    *ret_launch = (uint32_t)found;
    return OT_OK;
}

int ot_launches_add_call(struct ot_launches *launches, uint32_t session, uint64_t correlation,
                         uint32_t call, int64_t ts_ns, uint32_t *ret_launch, struct ot_err *err)
{
    int code = find(launches, session, correlation, ret_launch, err);
    if (code < 0)
        return code;
    struct ot_launch *launch = &launches->items[*ret_launch];
    if (launch->call == OT_LAUNCH_NO_CALL || ts_ns < launch->call_ts_ns) {
        launch->call = call;
        launch->call_ts_ns = ts_ns;
    }
    return OT_OK;
}

int ot_launches_add_work(struct ot_launches *launches, uint32_t session, uint64_t correlation,
                         int64_t dur_ns, uint32_t *ret_launch, struct ot_err *err)
{
    int code = find(launches, session, correlation, ret_launch, err);
    if (code < 0)
        return code;
    struct ot_launch *launch = &launches->items[*ret_launch];
    launch->device_ns = ot_ns_add(launch->device_ns, dur_ns);
    launch->n_events += launch->n_events < UINT32_MAX;
    return OT_OK;
}

void ot_launches_release(struct ot_launches *launches)
{
    free(launches->items);
    ot_map_release(&launches->map);
    *launches = (struct ot_launches){0};
}
