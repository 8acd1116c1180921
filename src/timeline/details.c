#include "timeline/details.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/backend.h"

static const char *const note_names[OT_NOTES] = {
    [OT_NOTE_SHAPES] = "shapes",
    [OT_NOTE_TYPES] = "types",
    [OT_NOTE_CORRELATION] = "correlation",
    [OT_NOTE_SEQUENCE] = "sequence",
    [OT_NOTE_FORWARD_THREAD] = "forward_thread",
    [OT_NOTE_DEVICE] = "device",
    [OT_NOTE_PHASE] = "phase",
    [OT_NOTE_END] = "note",
};

int ot_details_init(struct ot_details *details, struct ot_err *err)
{
    struct ot_names *names = details->names;
    int code = ot_names_intern(names, ot_text_of("its exit was not seen; it ended by then"),
                               &details->not_seen, err);
    if (code == OT_OK)
        code = ot_names_intern(names, ot_text_of("its entry was not seen; it ended here"),
                               &details->no_entry, err);
    for (int i = 0; i < OT_NOTES && code == OT_OK; i++)
        code = ot_names_intern(names, ot_text_of(note_names[i]), &details->note_names[i], err);
    for (int i = 0; i < OT_BACKEND_COUNT && code == OT_OK; i++)
        code = ot_names_intern(names, ot_text_of(ot_backends[i].name), &details->backends[i], err);
    return code;
}

static int intern(struct ot_details *details, struct ot_text text, uint32_t *ret_id_plus_1,
                  struct ot_err *err)
{
    if (text.len == 0)
        return OT_OK;
    uint32_t id = 0;
    int code = ot_names_intern(details->names, text, &id, err);
    if (code == OT_OK)
        *ret_id_plus_1 = id + 1;
    return code;
}

int ot_details_of(struct ot_details *details, const struct ot_event *event,
                  struct ot_detail *ret_detail, struct ot_err *err)
{
    const struct ot_event_args *args = event->args;
    struct ot_detail detail = {.backend = (uint32_t)event->backend};
    if (!args) {
        *ret_detail = detail;
        return OT_OK;
    }
    const struct {
        struct ot_text text;
        uint32_t *id;
    } texts[] = {
        {args->category, &detail.category}, {args->shapes, &detail.shapes},
        {args->types, &detail.types},       {args->device_label, &detail.device_label},
        {args->phase, &detail.phase},
    };
    int code = OT_OK;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && code == OT_OK; i++)
        code = intern(details, texts[i].text, texts[i].id, err);
    if (code < 0)
        return code;
    detail.has_device = args->has_device;
    detail.device = args->has_device ? args->device : 0;
    detail.forward_thread = args->forward_thread;
    *ret_detail = detail;
    return OT_OK;
}

static bool same_detail(const void *owner, size_t index, const void *key)
{
    return memcmp(&((const struct ot_details *)owner)->items[index], key,
                  sizeof(struct ot_detail)) == 0;
}

int ot_details_intern(struct ot_details *details, const struct ot_detail *detail,
                      uint32_t *ret_number, struct ot_err *err)
{
    uint64_t hash = ot_hash_bytes((const char *)detail, sizeof(*detail));
    int64_t found = ot_map_find(&details->map, hash, same_detail, details, detail);
    if (found != OT_MAP_NONE) {
        *ret_number = (uint32_t)found;
        return OT_OK;
    }
    if (details->n_items >= OT_DETAILS_MAX)
        return ot_err_set(err, OT_ERR_NOMEM, "slices say more than %d different things",
                          OT_DETAILS_MAX);
    if (!ot_vec_reserve(&details->items, &details->cap, details->n_items + 1,
                        sizeof(*details->items)) ||
        !ot_map_put(&details->map, hash, details->n_items))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for what slices say");
    *ret_number = (uint32_t)details->n_items;
    details->items[details->n_items++] = *detail;
    return OT_OK;
}

struct ot_pftrace_note ot_details_number(const struct ot_details *details, enum ot_detail_note note,
                                         int64_t number)
{
    return (struct ot_pftrace_note){
        .name = details->note_names[note], .kind = OT_PFTRACE_INT, .value = (uint64_t)number};
}

struct ot_pftrace_note ot_details_text(const struct ot_details *details, enum ot_detail_note note,
                                       uint32_t id)
{
    return (struct ot_pftrace_note){
        .name = details->note_names[note], .kind = OT_PFTRACE_TEXT, .value = id};
}

size_t ot_details_notes(const struct ot_details *details, const struct ot_detail *detail,
                        struct ot_pftrace_note *notes)
{
    const struct {
        enum ot_detail_note note;
        uint32_t id;
    } texts[] = {
        {OT_NOTE_SHAPES, detail->shapes},
        {OT_NOTE_TYPES, detail->types},
        {OT_NOTE_DEVICE, detail->device_label},
        {OT_NOTE_PHASE, detail->phase},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].id)
            notes[n++] = ot_details_text(details, texts[i].note, texts[i].id - 1);
    }
    if (detail->has_device)
        notes[n++] = ot_details_number(details, OT_NOTE_DEVICE, detail->device);
    if (detail->forward_thread)
        notes[n++] = ot_details_number(details, OT_NOTE_FORWARD_THREAD, detail->forward_thread);
    return n;
}

void ot_details_release(struct ot_details *details)
{
    free(details->items);
    ot_map_release(&details->map);
    *details = (struct ot_details){0};
}
