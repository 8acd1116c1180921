/* packet.h: the bytes of one packet; metadata.c describes the same layout in CTF's own language.
 *
 * One buffer for all packets: begun, filled, finished, written by the caller, begun again.
 */
#ifndef OT_EMIT_CTF_PACKET_H
#define OT_EMIT_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* In the order of their numbers, as metadata.c writes them. */
enum ot_ctf_event {
    OT_CTF_OP_ENTRY,
    OT_CTF_OP_EXIT,
    OT_CTF_ANNOTATION_ENTRY,
    OT_CTF_ANNOTATION_EXIT
};

enum { OT_CTF_PACKET_BYTES = 1 << 18 };

struct ot_ctf_packet {
    unsigned char bytes[OT_CTF_PACKET_BYTES];
    size_t len;
    uint64_t first_ns;
    uint64_t last_ns;
};

struct ot_ctf_record {
    enum ot_ctf_event event;
    uint64_t ts_ns;
    int32_t vpid;
    int32_t vtid;
    struct ot_text name; /* up to its first NUL; never empty, as babeltrace2 2.0.4 prints the value
                            before for an empty string */
    struct ot_text overload; /* operators; likewise */
};

/* An empty packet at that time. */
void ot_ctf_packet_begin(struct ot_ctf_packet *packet, uint64_t ts_ns);

/* False, and nothing added, where there is no room. One record always finds room in an empty packet
 * if its texts are shorter than half of it together. */
bool ot_ctf_packet_add(struct ot_ctf_packet *packet, const struct ot_ctf_record *record);

struct ot_ctf_packet_place {
    uint64_t stream_instance;
    uint64_t number;    /* of the packet in its stream, from 0 */
    uint64_t discarded; /* events of the stream so far */
};

/* Fills in the header: `len` bytes can be written then. */
void ot_ctf_packet_finish(struct ot_ctf_packet *packet, const struct ot_ctf_packet_place *place);

#endif
