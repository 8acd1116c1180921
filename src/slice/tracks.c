#include "slice/tracks.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

static bool same_key(const struct ot_track_key *a, const struct ot_track_key *b)
{
    return a->vtid == b->vtid && a->vpid == b->vpid && a->host == b->host && a->lane == b->lane &&
           a->thread == b->thread;
}

static bool same_track(const void *owner, size_t index, const void *key)
{
    const struct ot_tracks *tracks = owner;
    return same_key(&tracks->keys[index], key);
}

static int add(struct ot_tracks *tracks, const struct ot_track_key *key, uint64_t hash,
               struct ot_err *err)
{
    if (tracks->n_keys >= OT_TRACKS_MAX)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d threads", OT_TRACKS_MAX);
    if (!ot_vec_reserve(&tracks->keys, &tracks->cap, tracks->n_keys + 1, sizeof(*tracks->keys)) ||
        !ot_map_put(&tracks->map, hash, tracks->n_keys))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    tracks->keys[tracks->n_keys++] = *key;
    return OT_OK;
}

int ot_tracks_index(struct ot_tracks *tracks, const struct ot_track_key *key, size_t *ret_index,
                    struct ot_err *err)
{
    if (tracks->n_keys && same_key(&tracks->keys[tracks->last], key)) {
        *ret_index = tracks->last;
        return OT_OK;
    }
    uint64_t hash = ot_hash_mix(
        ot_hash_mix(ot_hash_mix(0, (uint64_t)key->lane << 32 | key->host), (uint64_t)key->vpid),
        key->vtid ^ (uint64_t)key->thread << 32);
    int64_t found = ot_map_find(&tracks->map, hash, same_track, tracks, key);
    if (found == OT_MAP_NONE) {
        found = (int64_t)tracks->n_keys;
        int code = add(tracks, key, hash, err);
        if (code < 0)
            return code;
    }
    tracks->last = (size_t)found;
    *ret_index = (size_t)found;
    return OT_OK;
}

void ot_tracks_release(struct ot_tracks *tracks)
{
    if (!tracks)
        return;
    ot_map_release(&tracks->map);
    free(tracks->keys);
    *tracks = (struct ot_tracks){0};
}
