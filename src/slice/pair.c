#include "slice/pair.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/backend.h"
#include "slice/ns.h"
#include "slice/tracks.h"

struct open_entry {
    int64_t ts_ns;   /* never less than that of the entry below */
    int64_t told_ns; /* as the event had it */
    int64_t from_ns; /* from when on it is inside the entry below */
    int64_t children_ns;
    int64_t given_ns; /* of children_ns, what was before from_ns */
    uint32_t name;
    uint32_t shown_as; /* the name of the slice */
    uint32_t shapes;   /* as of the slice */
    int backend;
    uint64_t tag;
};

struct track {
    struct open_entry *stack;
    size_t depth;
    size_t cap;
    int64_t last_ts_ns;
    bool has_time;
};

enum { N_LANES = OT_LANE_FLAT + 1 };

/* What ot_pair_next() has yet to yield. */
enum pending {
    PENDING_NOTHING,
    PENDING_BEGIN,  /* the innermost entry of `current` was taken */
    PENDING_CLOSE,  /* entries of `current` above `keep` are lost, the one at `keep` is the slice */
    PENDING_EXACT,  /* the entry at `keep` is the slice, and those above it stay */
    PENDING_FAILED, /* `failed` */
    PENDING_REFUSED, /* `failed`, as an entry that found no room */
    PENDING_GAP,     /* everything open of the thread `gap_key`, from lane `ending` on */
    PENDING_END      /* everything open, from track `ending` on */
};

struct ot_pair {
    struct ot_names *names;
    struct ot_tracks tracks;
    struct track *states; /* one per track */
    size_t states_cap;
    size_t n_open;

    /* By name_key and by thread_key and lane: 1 + the name's id, 1 + the track. */
    uint32_t *names_by_key;
    size_t n_names_by_key;
    size_t names_by_key_cap;
    uint32_t *tracks_by_key;
    size_t n_tracks_by_key;
    size_t tracks_by_key_cap;

    /* The last event's host, so that a run of events from one host is interned once. */
    struct ot_text last_host;
    uint32_t last_host_id;

    bool wants_begins;
    enum pending pending;
    size_t current;
    size_t keep;
    size_t ending;
    uint32_t gap_key;
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

void ot_pair_want_begins(struct ot_pair *pair)
{
    pair->wants_begins = true;
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

/* Makes room for `key` in a table by keys, whose items are 0 at first. */
static uint32_t *add_key(uint32_t **items, size_t *n, size_t *cap, size_t key)
{
    if (!ot_vec_reserve(items, cap, key + 1, sizeof(**items)))
        return NULL;
    memset(*items + *n, 0, (key + 1 - *n) * sizeof(**items));
    *n = key + 1;
    return &(*items)[key];
}

static inline uint32_t *by_key(uint32_t **items, size_t *n, size_t *cap, size_t key)
{
    return key < *n ? &(*items)[key] : add_key(items, n, cap, key);
}

static int find_name(struct ot_pair *pair, const struct ot_event *event, uint32_t *ret_id,
                     struct ot_err *err)
{
    if (event->name_key == 0)
        return ot_names_intern(pair->names, event->name, ret_id, err);
    uint32_t *known = by_key(&pair->names_by_key, &pair->n_names_by_key, &pair->names_by_key_cap,
                             event->name_key);
    if (!known)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
    if (*known == 0) {
        int code = ot_names_intern(pair->names, event->name, known, err);
        if (code < 0)
            return code;
        ++*known;
    }
    *ret_id = *known - 1;
    return OT_OK;
}

static int look_up_track(struct ot_pair *pair, const struct ot_event *event, struct ot_err *err)
{
    struct ot_track_key key = {.vpid = event->vpid,
                               .vtid = event->vtid,
                               .lane = ot_backends[event->backend].lane,
                               .thread = event->thread_key};
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

static int find_track(struct ot_pair *pair, const struct ot_event *event, struct ot_err *err)
{
    if (event->thread_key == 0)
        return look_up_track(pair, event, err);
    size_t key = (size_t)event->thread_key * N_LANES + ot_backends[event->backend].lane;
    uint32_t *known =
        by_key(&pair->tracks_by_key, &pair->n_tracks_by_key, &pair->tracks_by_key_cap, key);
    if (!known)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    if (*known == 0) {
        int code = look_up_track(pair, event, err);
        if (code < 0)
            return code;
        *known = (uint32_t)pair->current + 1;
    }
    pair->current = *known - 1;
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

/* What its entry says of a call beside its name. */
static int describe(struct ot_pair *pair, const struct ot_event *event, struct open_entry *entry,
                    struct ot_err *err)
{
    int code = OT_OK;
    if (event->shown_as.len)
        code = ot_names_intern(pair->names, event->shown_as, &entry->shown_as, err);
    if (code == OT_OK && event->args && event->args->shapes.len) {
        code = ot_names_intern(pair->names, event->args->shapes, &entry->shapes, err);
        entry->shapes++;
    }
    return code;
}

static int enter(struct ot_pair *pair, struct track *track, const struct ot_event *event,
                 uint32_t name, struct ot_err *err)
{
    int backend = event->backend;
    if (track->depth >= OT_PAIR_MAX_DEPTH || pair->n_open >= OT_PAIR_MAX_OPEN) {
        pair->failed = slice_of(pair, pair->current, name, backend);
        pair->pending = PENDING_REFUSED;
        return OT_OK;
    }
    if (!ot_vec_reserve(&track->stack, &track->cap, track->depth + 1, sizeof(*track->stack)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
    struct open_entry *entry = &track->stack[track->depth];
    *entry = (struct open_entry){
        .ts_ns = pair->now_ns,
        .told_ns = event->ts_ns,
        .from_ns = pair->now_ns,
        .name = name,
        .shown_as = name,
        .backend = backend,
    };
    if (event->args || event->shown_as.len) {
        int code = describe(pair, event, entry, err);
        if (code < 0)
            return code;
    }
    track->depth++;
    pair->n_open++;
    if (pair->wants_begins)
        pair->pending = PENDING_BEGIN;
    return OT_OK;
}

void ot_pair_tag(struct ot_pair *pair, uint64_t tag)
{
    struct track *track = &pair->states[pair->current];
    assert(track->depth);
    track->stack[track->depth - 1].tag = tag;
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

static bool find_exactly(const struct track *track, const struct ot_event *event, uint32_t name,
                         size_t *ret_at)
{
    size_t lowest = track->depth > OT_PAIR_MAX_RESYNC ? track->depth - OT_PAIR_MAX_RESYNC : 0;
    for (size_t at = track->depth; at-- > lowest;) {
        const struct open_entry *entry = &track->stack[at];
        if (entry->ts_ns < event->began_ns)
            return false; /* and all below began earlier still */
        if (entry->told_ns == event->began_ns && entry->name == name &&
            entry->backend == event->backend) {
            *ret_at = at;
            return true;
        }
    }
    return false;
}

static void leave(struct ot_pair *pair, struct track *track, const struct ot_event *event,
                  uint32_t name)
{
    int backend = event->backend;
    if (event->ends_exactly ? find_exactly(track, event, name, &pair->keep)
                            : find_entry(track, name, backend, &pair->keep)) {
        pair->pending = event->ends_exactly ? PENDING_EXACT : PENDING_CLOSE;
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
        if (event->is_gap) {
            pair->gap_key = event->thread_key;
            pair->ending = 0;
            pair->pending = PENDING_GAP;
        }
        return OT_OK;
    }
    pair->counts.events_read++;
    if (event->kind == OT_EVENT_OTHER)
        return OT_OK;
    uint32_t name = 0;
    int code = find_track(pair, event, err);
    if (code == OT_OK)
        code = find_name(pair, event, &name, err);
    if (code < 0)
        return code;
    struct track *track = &pair->states[pair->current];
    advance_time(pair, track, event->ts_ns);
    if (event->kind == OT_EVENT_ENTRY)
        return enter(pair, track, event, name, err);
    leave(pair, track, event, name);
    return OT_OK;
}

void ot_pair_end(struct ot_pair *pair)
{
    assert(pair->pending == PENDING_NOTHING);
    pair->pending = PENDING_END;
    pair->ending = 0;
}

/* Valid until the next entry. */
static const struct open_entry *pop(struct ot_pair *pair, struct track *track)
{
    pair->n_open--;
    return &track->stack[--track->depth];
}

static void add_to_parent(struct track *track, int64_t ns)
{
    if (track->depth) {
        struct open_entry *parent = &track->stack[track->depth - 1];
        parent->children_ns = ot_ns_add(parent->children_ns, ns);
    }
}

/* Without an end an entry has no time of its own: its children become its parent's. */
static void drop_innermost(struct ot_pair *pair, size_t at, enum ot_paired_cause cause,
                           struct ot_paired *ret)
{
    struct track *track = &pair->states[at];
    const struct open_entry *entry = pop(pair, track);
    add_to_parent(track, entry->children_ns - entry->given_ns);
    *ret = (struct ot_paired){
        .kind = OT_PAIRED_UNCLOSED,
        .cause = cause,
        .track = at,
        .tag = entry->tag,
        .closed_ns = track->last_ts_ns,
        .slice = slice_of(pair, at, entry->shown_as, entry->backend),
    };
    ret->slice.ts_ns = entry->ts_ns;
    ret->slice.shapes = entry->shapes;
    pair->counts.unclosed_entries++;
}

/* An entry that `depth` others are below of. Written field by field, straight to where it goes: a
 * copy right behind would wait for the stores, which it spans. */
static void put_slice(const struct ot_pair *pair, const struct open_entry *entry, size_t depth,
                      struct ot_paired *ret)
{
    const struct ot_track_key *key = &pair->tracks.keys[pair->current];
    struct ot_slice *slice = &ret->slice;
    ret->crosses = false;
    ret->track = pair->current;
    ret->tag = entry->tag;
    slice->host = key->host;
    slice->name = entry->shown_as;
    slice->session = 0;
    slice->category = 0;
    slice->shapes = entry->shapes;
    slice->backend = entry->backend;
    slice->vpid = key->vpid;
    slice->vtid = key->vtid;
    slice->ts_ns = entry->ts_ns;
    slice->depth = (uint32_t)depth;
    slice->err = false;
}

/* `entry` was taken off the stack, which `depth` entries are left on below it. */
static void close_entry(struct ot_pair *pair, const struct open_entry *entry, size_t depth,
                        struct ot_paired *ret)
{
    struct ot_slice *slice = &ret->slice;
    ret->kind = OT_PAIRED_SLICE;
    put_slice(pair, entry, depth, ret);
    slice->dur_ns = ot_ns_between(entry->ts_ns, pair->now_ns);
    slice->self_ns = ot_ns_between(entry->children_ns, slice->dur_ns);
}

static void close_innermost(struct ot_pair *pair, struct ot_paired *ret)
{
    struct track *track = &pair->states[pair->current];
    const struct open_entry *entry = pop(pair, track);
    close_entry(pair, entry, track->depth, ret);
    add_to_parent(track, ot_ns_between(entry->from_ns, pair->now_ns));
}

static int next_begin(struct ot_pair *pair, struct ot_paired *ret)
{
    const struct track *track = &pair->states[pair->current];
    ret->kind = OT_PAIRED_BEGIN;
    put_slice(pair, &track->stack[track->depth - 1], track->depth - 1, ret);
    ret->slice.dur_ns = 0;
    ret->slice.self_ns = 0;
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_exact(struct ot_pair *pair, struct ot_paired *ret)
{
    struct track *track = &pair->states[pair->current];
    size_t at = pair->keep;
    pair->pending = PENDING_NOTHING;
    if (at == track->depth - 1) {
        close_innermost(pair, ret);
        return OT_OK;
    }
    /* The one above goes on, from now on inside the one below. */
    struct open_entry entry = track->stack[at];
    struct open_entry *above = &track->stack[at + 1];
    entry.children_ns = ot_ns_add(entry.children_ns, ot_ns_between(above->from_ns, pair->now_ns));
    above->from_ns = pair->now_ns;
    above->given_ns = above->children_ns;
    memmove(&track->stack[at], above, (track->depth - 1 - at) * sizeof(*above));
    pop(pair, track);
    close_entry(pair, &entry, at, ret);
    ret->crosses = true;
    if (at) {
        struct open_entry *below = &track->stack[at - 1];
        below->children_ns =
            ot_ns_add(below->children_ns, ot_ns_between(entry.from_ns, pair->now_ns));
    }
    return OT_OK;
}

static int next_closed(struct ot_pair *pair, struct ot_paired *ret)
{
    struct track *track = &pair->states[pair->current];
    if (track->depth - 1 > pair->keep) {
        drop_innermost(pair, pair->current, OT_PAIRED_BY_EXIT, ret);
        pair->counts.lost_entries++;
        return OT_OK;
    }
    close_innermost(pair, ret);
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_failed(struct ot_pair *pair, struct ot_paired *ret)
{
    *ret =
        (struct ot_paired){.kind = OT_PAIRED_SLICE, .track = pair->current, .slice = pair->failed};
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_refused(struct ot_pair *pair, struct ot_paired *ret)
{
    *ret = (struct ot_paired){.kind = OT_PAIRED_UNCLOSED,
                              .cause = OT_PAIRED_NO_ROOM,
                              .track = pair->current,
                              .closed_ns = pair->now_ns,
                              .slice = pair->failed};
    pair->counts.unclosed_entries++;
    pair->pending = PENDING_NOTHING;
    return OT_OK;
}

static int next_in_gap(struct ot_pair *pair, struct ot_paired *ret)
{
    for (; pair->ending < N_LANES; pair->ending++) {
        size_t key = (size_t)pair->gap_key * N_LANES + pair->ending;
        uint32_t known = key < pair->n_tracks_by_key ? pair->tracks_by_key[key] : 0;
        if (known == 0 || pair->states[known - 1].depth == 0)
            continue;
        drop_innermost(pair, known - 1, OT_PAIRED_BY_GAP, ret);
        return OT_OK;
    }
    pair->pending = PENDING_NOTHING;
    return OT_END;
}

static int next_open(struct ot_pair *pair, struct ot_paired *ret)
{
    while (pair->ending < pair->tracks.n_keys && pair->states[pair->ending].depth == 0)
        pair->ending++;
    if (pair->ending == pair->tracks.n_keys)
        return OT_END;
    drop_innermost(pair, pair->ending, OT_PAIRED_BY_END, ret);
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
        [PENDING_NOTHING] = next_nothing, [PENDING_BEGIN] = next_begin,
        [PENDING_CLOSE] = next_closed,    [PENDING_EXACT] = next_exact,
        [PENDING_FAILED] = next_failed,   [PENDING_REFUSED] = next_refused,
        [PENDING_GAP] = next_in_gap,      [PENDING_END] = next_open,
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
    free(pair->names_by_key);
    free(pair->tracks_by_key);
    ot_tracks_release(&pair->tracks);
    free(pair);
}
