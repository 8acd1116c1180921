#include "emit/pftrace/packet.h"

/* A time before the base is written on the trace's clock, at the cost of some bytes. */
static inline uint8_t *put_time(const struct ot_pftrace *trace, uint8_t *at, int64_t ts_ns)
{
    if (ts_ns >= trace->base_ns)
        return ot_wire_put_uint(at, TRACE_PACKET_TIMESTAMP,
                                (uint64_t)ts_ns - (uint64_t)trace->base_ns);
    at = ot_wire_put_uint(at, TRACE_PACKET_TIMESTAMP, ts_ns > 0 ? (uint64_t)ts_ns : 0);
    return ot_wire_put_uint(at, TRACE_PACKET_TIMESTAMP_CLOCK_ID, BUILTIN_CLOCK_BOOTTIME);
}

static uint8_t *put_note(uint8_t *at, const struct ot_pftrace_note *note)
{
    static const uint32_t fields[] = {
        [OT_PFTRACE_TEXT] = DEBUG_ANNOTATION_STRING_VALUE_IID,
        [OT_PFTRACE_INT] = DEBUG_ANNOTATION_INT_VALUE,
        [OT_PFTRACE_UINT] = DEBUG_ANNOTATION_UINT_VALUE,
    };
    uint64_t value = note->kind == OT_PFTRACE_TEXT ? note->value + 1 : note->value;
    uint8_t *start = at = ot_wire_begin(at, TRACK_EVENT_DEBUG_ANNOTATIONS);
    at = ot_wire_put_uint(at, DEBUG_ANNOTATION_NAME_IID, (uint64_t)note->name + 1);
    at = ot_wire_put_uint(at, fields[note->kind], value);
    return ot_wire_end(start, at);
}

static const uint8_t event_types[] = {
    [OT_PFTRACE_BEGIN] = TYPE_SLICE_BEGIN,
    [OT_PFTRACE_END] = TYPE_SLICE_END,
    [OT_PFTRACE_INSTANT] = TYPE_INSTANT,
};

void ot_pftrace_put_event(struct ot_pftrace *trace, const struct ot_pftrace_event *event)
{
    if (ot_pftrace_has_new(trace, event))
        ot_pftrace_intern(trace, event);
    uint8_t *at =
        ot_pftrace_room(trace, OT_PFTRACE_PACKET_BYTES + event->n_notes * OT_PFTRACE_NOTE_BYTES +
                                   event->n_flows * OT_WIRE_FIELD_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = ot_pftrace_begin(at);
    at = put_time(trace, at, event->ts_ns);
    at = ot_pftrace_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_EVENT);
    at = ot_wire_put_uint(at, TRACK_EVENT_TYPE, event_types[event->kind]);
    at = ot_wire_put_uint(at, TRACK_EVENT_TRACK_UUID, event->track);
    if (event->name != OT_PFTRACE_NO_NAME)
        at = ot_wire_put_uint(at, TRACK_EVENT_NAME_IID, (uint64_t)event->name + 1);
    if (event->category != OT_PFTRACE_NO_NAME)
        at = ot_wire_put_uint(at, TRACK_EVENT_CATEGORY_IIDS, (uint64_t)event->category + 1);
    for (size_t i = 0; i < event->n_notes; i++)
        at = put_note(at, &event->notes[i]);
    for (size_t i = 0; i < event->n_flows; i++)
        at = ot_wire_put_fixed64(at, TRACK_EVENT_FLOW_IDS, event->flows[i]);
    at = ot_wire_end(body, at);
    ot_pftrace_end(trace, packet, at);
}

void ot_pftrace_put_end(struct ot_pftrace *trace, uint64_t track, int64_t ts_ns)
{
    uint8_t *at = ot_pftrace_room(trace, OT_PFTRACE_PACKET_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = ot_pftrace_begin(at);
    at = put_time(trace, at, ts_ns);
    at = ot_pftrace_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_EVENT);
    at = ot_wire_put_uint(at, TRACK_EVENT_TYPE, TYPE_SLICE_END);
    at = ot_wire_put_uint(at, TRACK_EVENT_TRACK_UUID, track);
    at = ot_wire_end(body, at);
    ot_pftrace_end(trace, packet, at);
}

void ot_pftrace_put_counter(struct ot_pftrace *trace, uint64_t track, int64_t ts_ns, int64_t value)
{
    uint8_t *at = ot_pftrace_room(trace, OT_PFTRACE_PACKET_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = ot_pftrace_begin(at);
    at = put_time(trace, at, ts_ns);
    at = ot_pftrace_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_EVENT);
    at = ot_wire_put_uint(at, TRACK_EVENT_TYPE, TYPE_COUNTER);
    at = ot_wire_put_uint(at, TRACK_EVENT_TRACK_UUID, track);
    at = ot_wire_put_int(at, TRACK_EVENT_COUNTER_VALUE, value);
    at = ot_wire_end(body, at);
    ot_pftrace_end(trace, packet, at);
}
