#include "ingest/kineto/open_calls.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

struct ot_open_track {
    int64_t vpid;
    uint64_t vtid;
    uint32_t process_label;
    uint32_t thread_label;
    uint32_t top; /* index of the innermost open call + 1, or 0 */
};

struct ot_open_call {
    struct ot_event event; /* its texts are the ids below */
    struct ot_event_args args;
    struct ot_open_place place;
    uint32_t name;
    uint32_t category;
    uint32_t shapes;
    uint32_t types;
    uint32_t phase;
    uint32_t device_label;
    uint32_t below; /* index + 1, or 0; of an unused one: the next unused */
};

static bool is_same_track(const void *owner, size_t index, const void *key)
{
    const struct ot_open_track *a = &((const struct ot_open_calls *)owner)->tracks[index];
    const struct ot_open_track *b = key;
    return a->vpid == b->vpid && a->vtid == b->vtid && a->process_label == b->process_label &&
           a->thread_label == b->thread_label;
}

static uint64_t hash_track(const struct ot_open_track *track)
{
    uint64_t hash = ot_hash_mix((uint64_t)track->vpid, track->vtid);
    return ot_hash_mix(hash, (uint64_t)track->process_label << 32 | track->thread_label);
}

/* NULL when memory is out, or a limit is reached. */
static struct ot_open_track *find_track(struct ot_open_calls *open, const struct ot_event *event,
                                        struct ot_err *err)
{
    struct ot_open_track track = {.vpid = event->vpid, .vtid = event->vtid};
    const struct ot_event_args *args = event->args;
    if (ot_names_intern(&open->names, args->process_label, &track.process_label, err) < 0 ||
        ot_names_intern(&open->names, args->thread_label, &track.thread_label, err) < 0)
        return NULL;
    uint64_t hash = hash_track(&track);
    int64_t found = ot_map_find(&open->map, hash, is_same_track, open, &track);
    if (found != OT_MAP_NONE)
        return &open->tracks[found];
    size_t index = open->n_tracks;
    if (index >= OT_OPEN_CALLS_MAX) {
        ot_err_set(err, OT_ERR_NOMEM, "B events on more than %d threads", OT_OPEN_CALLS_MAX);
        return NULL;
    }
    if (!ot_vec_reserve(&open->tracks, &open->cap_tracks, index + 1, sizeof(track)) ||
        !ot_map_put(&open->map, hash, index)) {
        ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
        return NULL;
    }
    open->n_tracks++;
    open->tracks[index] = track;
    return &open->tracks[index];
}

static int new_call(struct ot_open_calls *open, uint32_t *ret_index, struct ot_err *err)
{
    if (open->free) {
        *ret_index = open->free - 1;
        open->free = open->calls[*ret_index].below;
        return OT_OK;
    }
    if (open->n_calls >= OT_OPEN_CALLS_MAX)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d B events wait for their E",
                          OT_OPEN_CALLS_MAX);
    if (!ot_vec_reserve(&open->calls, &open->cap_calls, open->n_calls + 1, sizeof(*open->calls)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
    *ret_index = (uint32_t)open->n_calls++;
    return OT_OK;
}

static int intern_texts(struct ot_names *names, const struct ot_event *event,
                        struct ot_open_call *call, struct ot_err *err)
{
    const struct {
        struct ot_text text;
        uint32_t *id;
    } texts[] = {
        {event->name, &call->name},           {event->args->category, &call->category},
        {event->args->shapes, &call->shapes}, {event->args->types, &call->types},
        {event->args->phase, &call->phase},   {event->args->device_label, &call->device_label}};
    int code = OT_OK;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && code == OT_OK; i++)
        code = ot_names_intern(names, texts[i].text, texts[i].id, err);
    return code;
}

int ot_open_calls_push(struct ot_open_calls *open, const struct ot_event *event,
                       struct ot_open_place place, struct ot_err *err)
{
    struct ot_open_track *track = find_track(open, event, err);
    if (!track)
        return OT_ERR_NOMEM;
    struct ot_open_call call = {.event = *event, .args = *event->args, .place = place};
    uint32_t index = 0;
    int code = intern_texts(&open->names, event, &call, err);
    if (code == OT_OK)
        code = new_call(open, &index, err);
    if (code < 0)
        return code;
    call.below = track->top;
    track->top = index + 1;
    open->calls[index] = call;
    return OT_OK;
}

/* The innermost open call that `event` can end: of any name, if it has none itself. Looks only so
 * deep that an input of hostile names costs no more than another. */
static struct ot_open_call *find_call(struct ot_open_calls *open, const struct ot_open_track *track,
                                      const struct ot_event *event)
{
    enum { MAX_LEVELS = 1024 };
    uint32_t link = track->top;
    for (int level = 0; link && level < MAX_LEVELS; level++) {
        struct ot_open_call *call = &open->calls[link - 1];
        if (!event->name.len || ot_text_same(ot_names_text(&open->names, call->name), event->name))
            return call;
        link = call->below;
    }
    return NULL;
}

static void drop_top(struct ot_open_calls *open, struct ot_open_track *track)
{
    uint32_t link = track->top;
    struct ot_open_call *call = &open->calls[link - 1];
    track->top = call->below;
    call->below = open->free;
    open->free = link;
}

static void add_lost(struct ot_open_lost *lost, const struct ot_open_call *call)
{
    if (lost->n == 0 || call->place.number < lost->first.number)
        lost->first = call->place;
    lost->n++;
}

int ot_open_calls_pop(struct ot_open_calls *open, struct ot_event *event,
                      struct ot_open_lost *ret_lost, struct ot_err *err)
{
    struct ot_open_track *track = find_track(open, event, err);
    if (!track)
        return OT_ERR_NOMEM;
    struct ot_open_call *call = find_call(open, track, event);
    if (!call)
        return OT_END;
    *ret_lost = (struct ot_open_lost){0};
    while (&open->calls[track->top - 1] != call) {
        add_lost(ret_lost, &open->calls[track->top - 1]);
        drop_top(open, track);
    }
    drop_top(open, track);

    struct ot_event_args *args = &open->args;
    *args = call->args;
    args->process_label = ot_names_text(&open->names, track->process_label);
    args->thread_label = ot_names_text(&open->names, track->thread_label);
    args->category = ot_names_text(&open->names, call->category);
    args->shapes = ot_names_text(&open->names, call->shapes);
    args->types = ot_names_text(&open->names, call->types);
    args->phase = ot_names_text(&open->names, call->phase);
    args->device_label = ot_names_text(&open->names, call->device_label);
    struct ot_event slice = call->event;
    slice.name = ot_names_text(&open->names, call->name);
    slice.args = args;
    /* Both are within 2^63, so only a difference across zero can be too much; it is no duration. */
    if (__builtin_sub_overflow(event->ts_ns, slice.ts_ns, &slice.dur_ns))
        slice.dur_ns = -1;
    *event = slice;
    return OT_OK;
}

struct ot_open_lost ot_open_calls_rest(const struct ot_open_calls *open)
{
    struct ot_open_lost lost = {0};
    for (size_t i = 0; i < open->n_tracks; i++) {
        for (uint32_t link = open->tracks[i].top; link; link = open->calls[link - 1].below)
            add_lost(&lost, &open->calls[link - 1]);
    }
    return lost;
}

void ot_open_calls_release(struct ot_open_calls *open)
{
    ot_names_release(&open->names);
    ot_map_release(&open->map);
    free(open->tracks);
    free(open->calls);
    *open = (struct ot_open_calls){0};
}
