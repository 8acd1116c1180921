#include "emit/pftrace/packet.h"

static uint8_t *put_nothing(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    (void)track;
    (void)name;
    return at;
}

static uint8_t *put_process(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    uint8_t *start = at = ot_wire_begin(at, TRACK_DESCRIPTOR_PROCESS);
    at = ot_wire_put_int(at, PROCESS_DESCRIPTOR_PID, track->pid);
    if (track->has_order)
        at = ot_wire_put_int(at, PROCESS_DESCRIPTOR_LEGACY_SORT_INDEX, track->order);
    if (name.len)
        at = ot_wire_put_text(at, PROCESS_DESCRIPTOR_PROCESS_NAME, name);
    return ot_wire_end(start, at);
}

static uint8_t *put_thread(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    uint8_t *start = at = ot_wire_begin(at, TRACK_DESCRIPTOR_THREAD);
    at = ot_wire_put_int(at, THREAD_DESCRIPTOR_PID, track->pid);
    at = ot_wire_put_int(at, THREAD_DESCRIPTOR_TID, track->tid);
    if (track->has_order)
        at = ot_wire_put_int(at, THREAD_DESCRIPTOR_LEGACY_SORT_INDEX, track->order);
    if (name.len)
        at = ot_wire_put_text(at, THREAD_DESCRIPTOR_THREAD_NAME, name);
    return ot_wire_end(start, at);
}

static uint8_t *put_counter(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    (void)track;
    (void)name;
    uint8_t *start = at = ot_wire_begin(at, TRACK_DESCRIPTOR_COUNTER);
    at = ot_wire_put_uint(at, COUNTER_DESCRIPTOR_UNIT, UNIT_SIZE_BYTES);
    return ot_wire_end(start, at);
}

static uint8_t *(*const put_kinds[])(uint8_t *at, const struct ot_pftrace_track *track,
                                     struct ot_text name) = {
    [OT_PFTRACE_TRACK] = put_nothing,
    [OT_PFTRACE_PROCESS] = put_process,
    [OT_PFTRACE_THREAD] = put_thread,
    [OT_PFTRACE_COUNTER] = put_counter,
};

/* Rows that happen to have the same name are different rows all the same, and children keep the
 * order that they ask for. */
void ot_pftrace_put_track(struct ot_pftrace *trace, const struct ot_pftrace_track *track)
{
    struct ot_text name = ot_pftrace_clean(trace, track->name);
    uint8_t *at = ot_pftrace_room(trace, OT_PFTRACE_PACKET_BYTES + 2 * name.len);
    if (!at)
        return;
    uint8_t *packet = at = ot_pftrace_begin(at);
    at = ot_pftrace_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_DESCRIPTOR);
    at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_UUID, track->uuid);
    if (track->parent)
        at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_PARENT_UUID, track->parent);
    if (name.len)
        at = ot_wire_put_text(at, TRACK_DESCRIPTOR_NAME, name);
    at = put_kinds[track->kind](at, track, name);
    at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
    if (track->has_order)
        at = ot_wire_put_int(at, TRACK_DESCRIPTOR_SIBLING_ORDER_RANK, track->order);
    at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, SIBLING_MERGE_BEHAVIOR_NONE);
    at = ot_wire_end(body, at);
    ot_pftrace_end(trace, packet, at);
}
