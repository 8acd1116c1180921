#include "emit/ctf/packet.h"

#include <string.h>

enum { MAGIC = 0xc1fc1fc1 };

/* Numbers are written in the byte order of the machine; the metadata says which that is. */
struct header {
    uint32_t magic;
    uint32_t stream_id;
    uint64_t stream_instance_id;
    uint64_t timestamp_begin;
    uint64_t timestamp_end;
    uint64_t content_bits;
    uint64_t packet_bits;
    uint64_t packet_seq_num;
    uint64_t events_discarded;
};
_Static_assert(sizeof(struct header) == 64, "no padding");

/* The headers of an event: a number of 16 bits that leaves out the upper half of the time, or one
 * that says that number and time follow in full. */
enum { EXTENDED = 65535, SHORT_HEADER = 2 + 4, LONG_HEADER = 2 + 4 + 8 };

void ot_ctf_packet_begin(struct ot_ctf_packet *packet, uint64_t ts_ns)
{
    packet->len = sizeof(struct header);
    packet->first_ns = ts_ns;
    packet->last_ns = ts_ns;
}

static void put(struct ot_ctf_packet *packet, const void *bytes, size_t len)
{
    memcpy(packet->bytes + packet->len, bytes, len);
    packet->len += len;
}

static void put_header(struct ot_ctf_packet *packet, const struct ot_ctf_record *record)
{
    if (record->ts_ns - packet->last_ns <= UINT32_MAX) {
        uint16_t id = (uint16_t)record->event;
        uint32_t ts_low = (uint32_t)record->ts_ns;
        put(packet, &id, sizeof(id));
        put(packet, &ts_low, sizeof(ts_low));
        return;
    }
    uint16_t extended = EXTENDED;
    uint32_t id = record->event;
    put(packet, &extended, sizeof(extended));
    put(packet, &id, sizeof(id));
    put(packet, &record->ts_ns, sizeof(record->ts_ns));
}

static struct ot_text until_nul(struct ot_text text)
{
    return (struct ot_text){text.bytes, strnlen(text.bytes, text.len)};
}

static void put_string(struct ot_ctf_packet *packet, struct ot_text text)
{
    put(packet, text.bytes, text.len);
    put(packet, "", 1);
}

bool ot_ctf_packet_add(struct ot_ctf_packet *packet, const struct ot_ctf_record *record)
{
    bool has_overload = record->event <= OT_CTF_OP_EXIT;
    struct ot_text name = until_nul(record->name);
    struct ot_text overload = has_overload ? until_nul(record->overload) : (struct ot_text){0};
    size_t most = LONG_HEADER + 2 * sizeof(int32_t) + name.len + overload.len + 2;
    if (most > OT_CTF_PACKET_BYTES - packet->len)
        return false;
    put_header(packet, record);
    put(packet, &record->vpid, sizeof(record->vpid));
    put(packet, &record->vtid, sizeof(record->vtid));
    put_string(packet, name);
    if (has_overload)
        put_string(packet, overload);
    packet->last_ns = record->ts_ns;
    return true;
}

void ot_ctf_packet_finish(struct ot_ctf_packet *packet, const struct ot_ctf_packet_place *place)
{
    struct header header = {
        .magic = MAGIC,
        .stream_instance_id = place->stream_instance,
        .timestamp_begin = packet->first_ns,
        .timestamp_end = packet->last_ns,
        .content_bits = 8 * (uint64_t)packet->len,
        .packet_bits = 8 * (uint64_t)packet->len,
        .packet_seq_num = place->number,
        .events_discarded = place->discarded,
    };
    memcpy(packet->bytes, &header, sizeof(header));
}
