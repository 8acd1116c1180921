#include "slice/nest.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/backend.h"
#include "slice/ns.h"
#include "slice/tracks.h"

/* One slice without a parent yet, or a run of them that were merged. */
struct unclaimed {
    int64_t first_start_ns;
    int64_t last_start_ns;
    int64_t sum_ns;
};

struct track {
    struct unclaimed *stack;
    size_t depth;
    size_t cap;
};

struct ot_nest {
    struct ot_tracks tracks;
    struct track *states; /* one per track */
    size_t states_cap;
    uint64_t n_uncertain;
};

struct ot_nest *ot_nest_new(void)
{
    return calloc(1, sizeof(struct ot_nest));
}

static struct track *find_track(struct ot_nest *nest, const struct ot_slice *slice,
                                struct ot_err *err)
{
    struct ot_track_key key = {.host = slice->host,
                               .vpid = slice->vpid,
                               .vtid = slice->vtid,
                               .lane = ot_backends[slice->backend].lane};
    size_t n_before = nest->tracks.n_keys;
    if (!ot_vec_reserve(&nest->states, &nest->states_cap, n_before + 1, sizeof(*nest->states))) {
        ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
        return NULL;
    }
    size_t index;
    if (ot_tracks_index(&nest->tracks, &key, &index, err) < 0)
        return NULL;
    if (index == n_before)
        nest->states[index] = (struct track){0};
    return &nest->states[index];
}

static int64_t claim_children(struct ot_nest *nest, struct track *track, int64_t start_ns)
{
    int64_t children_ns = 0;
    while (track->depth && track->stack[track->depth - 1].first_start_ns >= start_ns)
        children_ns = ot_ns_add(children_ns, track->stack[--track->depth].sum_ns);
    if (track->depth && track->stack[track->depth - 1].last_start_ns >= start_ns)
        nest->n_uncertain++;
    return children_ns;
}

/* The older half, since those are the least likely to find a parent yet. */
static void merge_oldest(struct track *track)
{
    size_t half = track->depth / 2;
    size_t kept = 0;
    for (size_t i = 0; i + 1 < half; i += 2) {
        const struct unclaimed *a = &track->stack[i];
        const struct unclaimed *b = &track->stack[i + 1];
        track->stack[kept++] = (struct unclaimed){
            .first_start_ns = a->first_start_ns,
            .last_start_ns = b->last_start_ns,
            .sum_ns = ot_ns_add(a->sum_ns, b->sum_ns),
        };
    }
    for (size_t i = half & ~(size_t)1; i < track->depth; i++)
        track->stack[kept++] = track->stack[i];
    track->depth = kept;
}

int ot_nest_add(struct ot_nest *nest, struct ot_slice *slice, struct ot_err *err)
{
    slice->self_ns = 0;
    if (slice->err)
        return OT_OK;
    struct track *track = find_track(nest, slice, err);
    if (!track)
        return OT_ERR_NOMEM;
    if (track->depth >= OT_NEST_MAX_UNCLAIMED)
        merge_oldest(track);
    if (!ot_vec_reserve(&track->stack, &track->cap, track->depth + 1, sizeof(*track->stack)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for nesting");
    int64_t children_ns = claim_children(nest, track, slice->ts_ns);
    slice->self_ns = ot_ns_between(children_ns, slice->dur_ns);
    track->stack[track->depth++] = (struct unclaimed){
        .first_start_ns = slice->ts_ns,
        .last_start_ns = slice->ts_ns,
        .sum_ns = slice->dur_ns,
    };
    return OT_OK;
}

uint64_t ot_nest_uncertain(const struct ot_nest *nest)
{
    return nest->n_uncertain;
}

void ot_nest_free(struct ot_nest *nest)
{
    if (!nest)
        return;
    for (size_t i = 0; i < nest->tracks.n_keys; i++)
        free(nest->states[i].stack);
    free(nest->states);
    ot_tracks_release(&nest->tracks);
    free(nest);
}
