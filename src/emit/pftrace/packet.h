/* packet.h: what the parts of the encoder share: the buffer, and what all packets have.
 *
 * A packet is written between ot_pftrace_begin() and ot_pftrace_end(), where ot_pftrace_room() has
 * found place for all of it. Private to this folder.
 */
#ifndef OT_EMIT_PFTRACE_PACKET_H
#define OT_EMIT_PFTRACE_PACKET_H

#include "base/str.h"
#include "emit/pftrace/fields.h"
#include "emit/pftrace/pftrace.h"
#include "emit/pftrace/wire.h"

enum {
    OT_PFTRACE_SEQUENCE_ID = 1,
    OT_PFTRACE_WRITE_BYTES = 1 << 20,
    /* What a packet takes beside its notes, flows and texts: some ten fields. */
    OT_PFTRACE_PACKET_BYTES = 16 * OT_WIRE_FIELD_BYTES,
    OT_PFTRACE_NOTE_BYTES = 3 * OT_WIRE_FIELD_BYTES
};

struct ot_pftrace {
    FILE *out;
    const struct ot_names *names;
    uint8_t *bytes; /* packets that are yet to be written */
    size_t len;
    size_t cap;
    int64_t base_ns;

    uint8_t *seen; /* by name: what it was interned as */
    size_t n_seen;
    size_t seen_cap;
    struct ot_str text;

    int fault; /* of enum ot_code */
    int fault_errno;
};

/* The first failure is kept. */
void ot_pftrace_fail(struct ot_pftrace *trace, int code);

/* Room for so many bytes behind what is there; NULL when memory is out. */
uint8_t *ot_pftrace_room(struct ot_pftrace *trace, size_t bytes);

/* As UTF-8, which the format asks for and a trace's names need not be. Valid until the next call.
 */
struct ot_text ot_pftrace_clean(struct ot_pftrace *trace, struct ot_text text);

/* intern.c: whether it is yet to be written what something of an event is called; and that. */
bool ot_pftrace_has_new(const struct ot_pftrace *trace, const struct ot_pftrace_event *event);
void ot_pftrace_intern(struct ot_pftrace *trace, const struct ot_pftrace_event *event);

static inline uint8_t *ot_pftrace_begin(uint8_t *at)
{
    return ot_wire_begin(at, TRACE_PACKET);
}

/* What every packet has; those with a time of events need what was interned. */
static inline uint8_t *ot_pftrace_sequence(uint8_t *at, uint64_t flags)
{
    at = ot_wire_put_uint(at, TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, OT_PFTRACE_SEQUENCE_ID);
    return ot_wire_put_uint(at, TRACE_PACKET_SEQUENCE_FLAGS, flags);
}

static inline void ot_pftrace_end(struct ot_pftrace *trace, uint8_t *start, uint8_t *at)
{
    trace->len = (size_t)(ot_wire_end(start, at) - trace->bytes);
}

#endif
