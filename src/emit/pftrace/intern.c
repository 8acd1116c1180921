/* Names and texts are written once and have numbers from then on: 1 + the id of the name. */
#include "base/vec.h"
#include "emit/pftrace/packet.h"

/* What is interned, each with numbers of its own; a bit of `seen`. */
enum interned { CATEGORY = 1, NAME = 2, NOTE_NAME = 4, NOTE_TEXT = 8 };

static inline bool is_new(const struct ot_pftrace *trace, uint32_t id, enum interned kind)
{
    return id != OT_PFTRACE_NO_NAME && (id >= trace->n_seen || !(trace->seen[id] & kind));
}

bool ot_pftrace_has_new(const struct ot_pftrace *trace, const struct ot_pftrace_event *event)
{
    if (is_new(trace, event->name, NAME) || is_new(trace, event->category, CATEGORY))
        return true;
    for (size_t i = 0; i < event->n_notes; i++) {
        const struct ot_pftrace_note *note = &event->notes[i];
        if (is_new(trace, note->name, NOTE_NAME) ||
            (note->kind == OT_PFTRACE_TEXT && is_new(trace, (uint32_t)note->value, NOTE_TEXT)))
            return true;
    }
    return false;
}

static bool mark_seen(struct ot_pftrace *trace, uint32_t id, enum interned kind)
{
    size_t need = (size_t)id + 1;
    if (need > trace->n_seen) {
        if (!ot_vec_reserve(&trace->seen, &trace->seen_cap, need, 1))
            return false;
        memset(trace->seen + trace->n_seen, 0, need - trace->n_seen);
        trace->n_seen = need;
    }
    trace->seen[id] |= (uint8_t)kind;
    return true;
}

static uint32_t field_of(enum interned kind)
{
    static const uint32_t fields[] = {
        [CATEGORY] = INTERNED_DATA_EVENT_CATEGORIES,
        [NAME] = INTERNED_DATA_EVENT_NAMES,
        [NOTE_NAME] = INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
        [NOTE_TEXT] = INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES,
    };
    return fields[kind];
}

/* In a packet of its own, since how long a text may be nobody knows. */
static void intern(struct ot_pftrace *trace, uint32_t id, enum interned kind)
{
    if (!is_new(trace, id, kind))
        return;
    if (!mark_seen(trace, id, kind)) {
        ot_pftrace_fail(trace, OT_ERR_NOMEM);
        return;
    }
    struct ot_text text = ot_pftrace_clean(trace, ot_names_text(trace->names, id));
    uint8_t *at = ot_pftrace_room(trace, OT_PFTRACE_PACKET_BYTES + text.len);
    if (!at)
        return;
    uint8_t *packet = at = ot_pftrace_begin(at);
    at = ot_pftrace_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *data = at = ot_wire_begin(at, TRACE_PACKET_INTERNED_DATA);
    uint8_t *item = at = ot_wire_begin(at, field_of(kind));
    at = ot_wire_put_uint(at, INTERNED_IID, (uint64_t)id + 1);
    at = ot_wire_put_text(at, INTERNED_TEXT, text);
    at = ot_wire_end(item, at);
    at = ot_wire_end(data, at);
    ot_pftrace_end(trace, packet, at);
}

void ot_pftrace_intern(struct ot_pftrace *trace, const struct ot_pftrace_event *event)
{
    intern(trace, event->name, NAME);
    intern(trace, event->category, CATEGORY);
    for (size_t i = 0; i < event->n_notes; i++) {
        intern(trace, event->notes[i].name, NOTE_NAME);
        if (event->notes[i].kind == OT_PFTRACE_TEXT)
            intern(trace, (uint32_t)event->notes[i].value, NOTE_TEXT);
    }
}
