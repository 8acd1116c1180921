#include "slice/pair.h"

#include <assert.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/backend.h"
#include "slice/ns.h"
#include "slice/tracks.h"

struct open_entry {
    int64_t ts_ns;
    int64_t children_ns;
    uint32_t name;
    int backend;
};

struct track {
    struct open_entry *stack;
    size_t depth;
    size_t cap;
    int64_t last_ts_ns;
    bool has_time;
};

/* What ot_pair_next() has yet to yield. */
enum pending {
    PENDING_NOTHING,
    PENDING_CLOSE,  /* entries of `current` above `keep` are lost, the one at `keep` is the slice */
    PENDING_FAILED, /* `failed` */
    PENDING_REFUSED, /* `failed`, as an entry that found no room */
    PENDING_END      /* everything open, from track `ending` on */
};

struct ot_pair {
    struct ot_names *names;
    struct ot_tracks tracks;
    struct track *states; /* one per track */
    size_t states_cap;
    size_t n_open;

    /* The last event's host, so that a run of events from one host is interned once. */
    struct ot_text last_host;
    uint32_t last_host_id;

    enum pending pending;
    size_t current;
    size_t keep;
    size_t ending;
    int64_t now_ns;
    struct ot_slice failed;

    struct ot_counts counts;
};

struct ot_pair *ot_pair_new(struct ot_names *names)
{
    struct ot_pair *pair = calloc(1, sizeof(*pair));
    if (pair)
        pair->names = names;
    return pair;
}

static int find_host(struct ot_pair *pair, struct ot_text host, uint32_t *ret_id,
                     struct ot_err *err)
{
    if (!pair->last_host.bytes || !ot_text_same(pair->last_host, host)) {
        int code = ot_names_intern(pair->names, host, &pair->last_host_id, err);
        if (code < 0)
            return code;
        pair->last_host = ot_names_text(pair->names, pair->last_host_id);
    }
    *ret_id = pair->last_host_id;
    return OT_OK;
}

static int find_track(struct ot_pair *pair, const struct ot_event *event, struct ot_err *err)
{
    struct ot_track_key key = {
        .vpid = event->vpid, .vtid = event->vtid, .lane = ot_backends[event->backend].lane};
    int code = find_host(pair, event->host, &key.host, err);
    if (code < 0)
        return code;
    size_t n_before = pair->tracks.n_keys;
    if (!ot_vec_reserve(&pair->states, &pair->states_cap, n_before + 1, sizeof(*pair->states)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    code = ot_tracks_index(&pair->tracks, &key, &pair->current, err);
    if (code < 0)
        return code;
    if (pair->current == n_before)
        pair->states[n_before] = (struct track){0};
    return OT_OK;
}

static void advance_time(struct ot_pair *pair, struct track *track, int64_t ts_ns)
{
    if (track->has_time && ts_ns < track->last_ts_ns) {
        pair->counts.backward_times++;
        ts_ns = track->last_ts_ns;
    }
    track->last_ts_ns = ts_ns;
    track->has_time = true;
    pair->now_ns = ts_ns;
}

static struct ot_slice slice_of(const struct ot_pair *pair, size_t track, uint32_t name,
                                int backend)
{
    const struct ot_track_key *key = &pair->tracks.keys[track];
    return (struct ot_slice){
        .host = key->host,
        .name = name,
        .backend = backend,
        .vpid = key->vpid,
        .vtid = key->vtid,
        .depth = (uint32_t)pair->states[track].depth,
        .ts_ns = pair->now_ns,
    };
}

static int enter(struct ot_pair *pair, struct track *track, uint32_t name, int backend,
                 struct ot_err *err)
{
    if (track->depth >= OT_PAIR_MAX_DEPTH || pair->n_open >= OT_PAIR_MAX_OPEN) {
        pair->failed = slice_of(pair, pair->current, name, backend);
        pair->pending = PENDING_REFUSED;
        return OT_OK;
    }
    if (!ot_vec_reserve(&track->stack, &track->cap, track->depth + 1, sizeof(*track->stack)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
    track->stack[track->depth++] =
        (struct open_entry){.ts_ns = pair->now_ns, .name = name, .backend = backend};
    pair->n_open++;
    return OT_OK;
}

static bool find_entry(const struct track *track, uint32_t name, int backend, size_t *ret_at)
{
    size_t lowest = track->depth > OT_PAIR_MAX_RESYNC ? track->depth - OT_PAIR_MAX_RESYNC : 0;
    for (size_t at = track->depth; at-- > lowest;) {
        if (track->stack[at].name == name && track->stack[at].backend == backend) {
            *ret_at = at;
            return true;
        }
    }
    return false;
}

static void leave(struct ot_pair *pair, struct track *track, uint32_t name, int backend)
{
    if (find_entry(track, name, backend, &pair->keep)) {
        pair->pending = PENDING_CLOSE;
        return;
    }
    pair->counts.unmatched_exits++;
    pair->failed = slice_of(pair, pair->current, name, backend);
    pair->failed.err = true;
    pair->pending = PENDING_FAILED;
}

static void count_discarded(struct ot_counts *counts, const struct ot_event *event)
{
    uint64_t sum;
    if (__builtin_add_overflow(counts->discarded_events, event->n_discarded, &sum))
        sum = UINT64_MAX;
    counts->discarded_events = sum;
    counts->discarded_unknown += !event->n_discarded_known;
}

int ot_pair_feed(struct ot_pair *pair, const struct ot_event *event, struct ot_err *err)
{
    assert(pair->pending == PENDING_NOTHING);
    if (event->kind == OT_EVENT_DISCARDED) {
        count_discarded(&pair->counts, event);
        return OT_OK;
    }
    pair->counts.events_read++;
    if (event->kind == OT_EVENT_OTHER)
        return OT_OK;
    uint32_t name = 0;
    int code = find_track(pair, event, err);
    if (code == OT_OK)
        code = ot_names_intern(pair->names, event->name, &name, err);
    if (code < 0)
        return code;
    struct track *track = &pair->states[pair->current];
    advance_time(pair, track, event->ts_ns);
    if (event->kind == OT_EVENT_ENTRY)
        return enter(pair, track, name, event->backend, err);
    leave(pair, track, name, event->backend);
    return OT_OK;
}

void ot_pair_end(struct ot_pair *pair)
{
    assert(pair->pending == PENDING_NOTHING);
    pair->pending = PENDING_END;
}

static struct open_entry pop(struct ot_pair *pair, struct track *track)
{
    pair->n_open--;
    return track->stack[--track->depth];
}

static void add_to_parent(struct track *track, int64_t ns)
{
    if (track->depth) {
        struct open_entry *parent = &track->stack[track->depth - 1];
        parent->children_ns = ot_ns_add(parent->children_ns, ns);
    }
}

/* Without an end an entry has no time of its own: its children become its parent's. */
static void drop_innermost(struct ot_pair *pair, size_t at, struct ot_paired *ret)
{
    struct track *track = &pair->states[at];
    struct open_entry entry = pop(pair, track);
    add_to_parent(track, entry.children_ns);
    ret->kind = OT_PAIRED_UNCLOSED;
    ret->slice = slice_of(pair, at, entry.name, entry.backend);
    ret->slice.ts_ns = entry.ts_ns;
    pair->counts.unclosed_entries++;
}

static void close_innermost(struct ot_pair *pair, struct ot_paired *ret)
{
    struct track *track = &pair->states[pair->current];
    struct open_entry entry = pop(pair, track);
    ret->kind = OT_PAIRED_SLICE;
    ret->slice = slice_of(pair, pair->current, entry.name, entry.backend);
    ret->slice.ts_ns = entry.ts_ns;
    ret->slice.dur_ns = ot_ns_between(entry.ts_ns, pair->now_ns);
    ret->slice.self_ns = ot_ns_between(entry.children_ns, ret->slice.dur_ns);
    add_to_parent(track, ret->slice.dur_ns);
}

static int next_closed(struct ot_pair *pair, struct ot_paired *ret)
{
    struct track *track = &pair->states[pair->current];
    if (track->depth - 1 > pair->keep) {
        drop_innermost(pair, pair->current, ret);
        pair->counts.lost_entries++;
        return OT_OK;
    }
    close_innermost(pair, ret);
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_failed(struct ot_pair *pair, struct ot_paired *ret)
{
    *ret = (struct ot_paired){.kind = OT_PAIRED_SLICE, .slice = pair->failed};
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_refused(struct ot_pair *pair, struct ot_paired *ret)
{
    *ret = (struct ot_paired){.kind = OT_PAIRED_UNCLOSED, .slice = pair->failed};
    pair->counts.unclosed_entries++;
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_open(struct ot_pair *pair, struct ot_paired *ret)
{
    while (pair->ending < pair->tracks.n_keys && pair->states[pair->ending].depth == 0)
        pair->ending++;
    if (pair->ending == pair->tracks.n_keys)
        return OT_END;
    drop_innermost(pair, pair->ending, ret);
    return OT_OK;
}

static int next_nothing(struct ot_pair *pair, struct ot_paired *ret)
{
    (void)pair;
    (void)ret;
    return OT_END;
}

int ot_pair_next(struct ot_pair *pair, struct ot_paired *ret_paired)
{
    static int (*const next[])(struct ot_pair *, struct ot_paired *) = {
        [PENDING_NOTHING] = next_nothing, [PENDING_CLOSE] = next_closed,
        [PENDING_FAILED] = next_failed,   [PENDING_REFUSED] = next_refused,
        [PENDING_END] = next_open,
    };
    return next[pair->pending](pair, ret_paired);
}

const struct ot_counts *ot_pair_counts(const struct ot_pair *pair)
{
    return &pair->counts;
}

void ot_pair_free(struct ot_pair *pair)
{
    if (!pair)
        return;
    for (size_t i = 0; i < pair->tracks.n_keys; i++)
        free(pair->states[i].stack);
    free(pair->states);
    ot_tracks_release(&pair->tracks);
    free(pair);
}
