#include "emit/ctf/metadata.h"

#include "emit/ctf/packet.h"

/* The same names and types and nearly the same environment as LTTng-UST 2.13's, so that a reader
 * that knows its traces knows these. */

/* clang-format off */
static const char head[] =
    "/* CTF 1.8 */\n"
    "\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "\n"
    "trace {\n"
    "\tmajor = 1;\n"
    "\tminor = 8;\n"
    "\tbyte_order = %s;\n"
    "\tpacket.header := struct {\n"
    "\t\tuint32_t magic;\n"
    "\t\tuint32_t stream_id;\n"
    "\t\tuint64_t stream_instance_id;\n"
    "\t};\n"
    "};\n"
    "\n"
    "env {\n"
    "\tdomain = \"ust\";\n"
    "\ttracer_name = \"lttng-ust\";\n"
    "\ttracer_major = 2;\n"
    "\ttracer_minor = 13;\n"
    "\tarchitecture_bit_width = %d;\n"
    "\ttrace_name = \"optally\";\n";

static const char body[] =
    "};\n"
    "\n"
    "clock {\n"
    "\tname = \"monotonic\";\n"
    "\tdescription = \"nanoseconds since 1970-01-01 00:00:00 UTC\";\n"
    "\tfreq = 1000000000;\n"
    "\toffset = 0;\n"
    "};\n"
    "\n"
    "typealias integer {\n"
    "\tsize = 32; align = 8; signed = false;\n"
    "\tmap = clock.monotonic.value;\n"
    "} := uint32_clock_monotonic_t;\n"
    "\n"
    "typealias integer {\n"
    "\tsize = 64; align = 8; signed = false;\n"
    "\tmap = clock.monotonic.value;\n"
    "} := uint64_clock_monotonic_t;\n"
    "\n"
    "struct packet_context {\n"
    "\tuint64_clock_monotonic_t timestamp_begin;\n"
    "\tuint64_clock_monotonic_t timestamp_end;\n"
    "\tuint64_t content_size;\n"
    "\tuint64_t packet_size;\n"
    "\tuint64_t packet_seq_num;\n"
    "\tuint64_t events_discarded;\n"
    "};\n"
    "\n"
    "struct event_header_large {\n"
    "\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
    "\tvariant <id> {\n"
    "\t\tstruct {\n"
    "\t\t\tuint32_clock_monotonic_t timestamp;\n"
    "\t\t} compact;\n"
    "\t\tstruct {\n"
    "\t\t\tuint32_t id;\n"
    "\t\t\tuint64_clock_monotonic_t timestamp;\n"
    "\t\t} extended;\n"
    "\t} v;\n"
    "} align(8);\n"
    "\n"
    "stream {\n"
    "\tid = 0;\n"
    "\tevent.header := struct event_header_large;\n"
    "\tpacket.context := struct packet_context;\n"
    "\tevent.context := struct {\n"
    "\t\tinteger { size = 32; align = 8; signed = true; base = 10; } _vpid;\n"
    "\t\tinteger { size = 32; align = 8; signed = true; base = 10; } _vtid;\n"
    "\t};\n"
    "};\n";
/* clang-format on */

static const struct {
    const char *name;
    bool has_overload;
} events[] = {
    [OT_CTF_OP_ENTRY] = {"op_entry", true},
    [OT_CTF_OP_EXIT] = {"op_exit", true},
    [OT_CTF_ANNOTATION_ENTRY] = {"annotation_entry", false},
    [OT_CTF_ANNOTATION_EXIT] = {"annotation_exit", false},
};

static void add_quoted(struct ot_str *str, struct ot_text text)
{
    ot_str_addf(str, "\"");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte == '"' || byte == '\\')
            ot_str_addf(str, "\\%c", byte);
        else if (byte < ' ' || byte == 0x7f)
            ot_str_addf(str, "\\x%02x", byte);
        else
            ot_str_add(str, (const char *)&byte, 1);
    }
    ot_str_addf(str, "\"");
}

void ot_ctf_add_metadata(struct ot_str *str, struct ot_text host)
{
    const char *byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be";
    ot_str_addf(str, head, byte_order, (int)(8 * sizeof(long)));
    if (host.len) {
        ot_str_addf(str, "\thostname = ");
        add_quoted(str, host);
        ot_str_addf(str, ";\n");
    }
    ot_str_addf(str, "%s", body);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        ot_str_addf(str,
                    "\nevent {\n"
                    "\tname = \"lttng_ust_pytorch:%s\";\n"
                    "\tid = %zu;\n"
                    "\tstream_id = 0;\n"
                    "\tloglevel = 13;\n"
                    "\tfields := struct {\n"
                    "\t\tstring _name;\n"
                    "%s"
                    "\t};\n"
                    "};\n",
                    events[i].name, i,
                    events[i].has_overload ? "\t\tstring _overload_name;\n" : "");
    }
}
