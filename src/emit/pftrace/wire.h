/* wire.h: protobuf's encoding, into memory that has room for it.
 *
 * A `put` writes a field at `at` and returns where the next one goes; the caller has made room:
 * OT_WIRE_FIELD_BYTES for a number's field, and that and its length for a text's. Any thread.
 */
#ifndef OT_EMIT_PFTRACE_WIRE_H
#define OT_EMIT_PFTRACE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum {
    OT_WIRE_VARINT_BYTES = 10, /* at most */
    OT_WIRE_TAG_BYTES = 5,     /* likewise */
    OT_WIRE_FIELD_BYTES = OT_WIRE_TAG_BYTES + OT_WIRE_VARINT_BYTES
};

enum ot_wire_type { OT_WIRE_VARINT = 0, OT_WIRE_FIXED64 = 1, OT_WIRE_LEN = 2 };

static inline uint8_t *ot_wire_put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline uint8_t *ot_wire_put_tag(uint8_t *at, uint32_t field, enum ot_wire_type type)
{
    return ot_wire_put_varint(at, field << 3 | type);
}

static inline uint8_t *ot_wire_put_uint(uint8_t *at, uint32_t field, uint64_t value)
{
    return ot_wire_put_varint(ot_wire_put_tag(at, field, OT_WIRE_VARINT), value);
}

/* Negative numbers take ten bytes, as int32 and int64 have it. */
static inline uint8_t *ot_wire_put_int(uint8_t *at, uint32_t field, int64_t value)
{
    return ot_wire_put_uint(at, field, (uint64_t)value);
}

static inline uint8_t *ot_wire_put_fixed64(uint8_t *at, uint32_t field, uint64_t value)
{
    at = ot_wire_put_tag(at, field, OT_WIRE_FIXED64);
    for (size_t i = 0; i < sizeof(value); i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static inline uint8_t *ot_wire_put_text(uint8_t *at, uint32_t field, struct ot_text text)
{
    at = ot_wire_put_varint(ot_wire_put_tag(at, field, OT_WIRE_LEN), text.len);
    if (text.len)
        memcpy(at, text.bytes, text.len);
    return at + text.len;
}

/* A message inside a message. Its length comes before it and is known behind it: one byte is left
 * free, as most need no more, and what is longer is moved by the bytes that are missing. */
static inline uint8_t *ot_wire_begin(uint8_t *at, uint32_t field)
{
    return ot_wire_put_tag(at, field, OT_WIRE_LEN) + 1;
}

/* `start` is what ot_wire_begin() returned, `at` where the message ends. */
static inline uint8_t *ot_wire_end(uint8_t *start, uint8_t *at)
{
    size_t len = (size_t)(at - start);
    if (len < 0x80) {
        start[-1] = (uint8_t)len;
        return at;
    }
    uint8_t bytes[OT_WIRE_VARINT_BYTES];
    size_t n = (size_t)(ot_wire_put_varint(bytes, len) - bytes);
    memmove(start - 1 + n, start, len);
    memcpy(start - 1, bytes, n);
    return at + n - 1;
}

#endif
