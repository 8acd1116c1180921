#include "stats/stacks.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

/* What tells a frame. */
struct frame_key {
    uint32_t parent;
    uint32_t name;
    int backend;
    const struct ot_stack_track *track; /* of a thread; else NULL */
};

static bool same_track(const struct ot_stack_track *a, const struct ot_stack_track *b)
{
    return a->vtid == b->vtid && a->vpid == b->vpid && a->host == b->host &&
           a->session == b->session;
}

static bool same_frame(const void *owner, size_t index, const void *key)
{
    const struct ot_stacks *stacks = owner;
    const struct ot_stack_frame *frame = &stacks->frames[index];
    const struct frame_key *wanted = key;
    if (frame->parent != wanted->parent || frame->backend != wanted->backend ||
        index == OT_STACKS_ROOT)
        return false;
    return wanted->track ? same_track(&stacks->tracks[frame->track - 1], wanted->track)
                         : frame->name == wanted->name;
}

static uint64_t hash_of(const struct frame_key *key)
{
    uint64_t hash = ot_hash_mix((uint64_t)(unsigned)key->backend, key->parent);
    if (!key->track)
        return ot_hash_mix(hash, key->name);
    hash = ot_hash_mix(ot_hash_mix(hash, key->track->vtid), (uint64_t)key->track->vpid);
    return ot_hash_mix(hash, (uint64_t)key->track->session << 32 | key->track->host);
}

static int add_frame(struct ot_stacks *stacks, const struct ot_stack_frame *frame,
                     struct ot_err *err)
{
    if (!ot_vec_reserve(&stacks->frames, &stacks->frames_cap, stacks->n_frames + 1,
                        sizeof(*stacks->frames)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for stacks of calls");
    stacks->frames[stacks->n_frames++] = *frame;
    return OT_OK;
}

int ot_stacks_init(struct ot_stacks *stacks, struct ot_err *err)
{
    static const struct ot_stack_frame root = {.backend = OT_STACKS_NO_CALL};
    return add_frame(stacks, &root, err);
}

static bool find_frame(const struct ot_stacks *stacks, const struct frame_key *key,
                       uint32_t *ret_frame)
{
    int64_t found = ot_map_find(&stacks->map, hash_of(key), same_frame, stacks, key);
    if (found != OT_MAP_NONE)
        *ret_frame = (uint32_t)found;
    return found != OT_MAP_NONE;
}

/* The key is not there yet. */
static int make_frame(struct ot_stacks *stacks, const struct frame_key *key, uint32_t *ret_frame,
                      struct ot_err *err)
{
    const struct ot_stack_frame *parent = &stacks->frames[key->parent];
    struct ot_stack_frame frame = {.parent = key->parent,
                                   .name = key->name,
                                   .track = key->track ? (uint32_t)stacks->n_tracks : parent->track,
                                   .depth = parent->depth + 1,
                                   .backend = key->backend};
    uint32_t number = (uint32_t)stacks->n_frames;
    int code = add_frame(stacks, &frame, err);
    if (code == OT_OK && !ot_map_put(&stacks->map, hash_of(key), number))
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for stacks of calls");
    if (code == OT_OK)
        *ret_frame = number;
    return code;
}

static size_t max_frames(const struct ot_stacks *stacks)
{
    return stacks->opts.max_frames ? stacks->opts.max_frames : OT_STACKS_MAX_FRAMES;
}

static int enter_merged(struct ot_stacks *stacks, uint32_t parent, uint32_t *ret_frame,
                        struct ot_err *err)
{
    const struct frame_key more = {.parent = parent, .backend = OT_STACKS_MORE};
    stacks->n_merged_calls++;
    if (stacks->frames[parent].backend != OT_STACKS_NO_CALL) {
        *ret_frame = parent;
        return OT_OK;
    }
    return find_frame(stacks, &more, ret_frame) ? OT_OK : make_frame(stacks, &more, ret_frame, err);
}

int ot_stacks_enter(struct ot_stacks *stacks, uint32_t parent, int backend, uint32_t name,
                    uint32_t *ret_frame, struct ot_err *err)
{
    const struct frame_key key = {.parent = parent, .name = name, .backend = backend};
    if (find_frame(stacks, &key, ret_frame))
        return OT_OK;
    if (stacks->n_frames >= max_frames(stacks) ||
        stacks->frames[parent].depth >= OT_STACKS_MAX_DEPTH)
        return enter_merged(stacks, parent, ret_frame, err);
    return make_frame(stacks, &key, ret_frame, err);
}

int ot_stacks_enter_track(struct ot_stacks *stacks, const struct ot_stack_track *track,
                          uint32_t *ret_frame, struct ot_err *err)
{
    if (!stacks->opts.by_track) {
        *ret_frame = OT_STACKS_ROOT;
        return OT_OK;
    }
    const struct frame_key key = {.backend = OT_STACKS_NO_CALL, .track = track};
    if (find_frame(stacks, &key, ret_frame))
        return OT_OK;
    if (!ot_vec_reserve(&stacks->tracks, &stacks->tracks_cap, stacks->n_tracks + 1,
                        sizeof(*stacks->tracks)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    stacks->tracks[stacks->n_tracks++] = *track;
    return make_frame(stacks, &key, ret_frame, err);
}

void ot_stacks_finish(struct ot_stacks *stacks)
{
    ot_map_release(&stacks->map);
}

void ot_stacks_release(struct ot_stacks *stacks)
{
    if (!stacks)
        return;
    free(stacks->frames);
    free(stacks->tracks);
    ot_map_release(&stacks->map);
    *stacks = (struct ot_stacks){.opts = stacks->opts};
}
