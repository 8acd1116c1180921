/* pftrace.h: reads Perfetto's format back and writes down what it says, a line for each packet.
 *
 * Written from the published protos/perfetto/trace/, and sharing nothing with the encoder.
 */
#ifndef OT_TESTS_UNIT_PFTRACE_H
#define OT_TESTS_UNIT_PFTRACE_H

#include "test.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"

struct pb_field {
    uint32_t number;
    uint64_t value;
    struct ot_text text; /* of a message, a string, or bytes */
};

static inline uint64_t pb_varint(struct ot_text *message)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(message->len > 0 && shift < 70);
        unsigned char byte = (unsigned char)*message->bytes;
        message->bytes++;
        message->len--;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

static inline struct ot_text pb_take(struct ot_text *message, size_t len)
{
    assert_true(message->len >= len);
    struct ot_text taken = {message->bytes, len};
    message->bytes += len;
    message->len -= len;
    return taken;
}

/* False at the message's end. */
static inline bool pb_next(struct ot_text *message, struct pb_field *ret_field)
{
    if (message->len == 0)
        return false;
    uint64_t tag = pb_varint(message);
    *ret_field = (struct pb_field){.number = (uint32_t)(tag >> 3)};
    switch (tag & 7) {
    case 0:
        ret_field->value = pb_varint(message);
        break;
    case 1:
        ret_field->text = pb_take(message, 8);
        memcpy(&ret_field->value, ret_field->text.bytes, 8);
        break;
    case 2:
        ret_field->text = pb_take(message, pb_varint(message));
        break;
    default:
        fail_msg("wire type %u", (unsigned)(tag & 7));
    }
    return true;
}

enum { PF_MAX = 4096 };

struct pf_read {
    struct ot_str log;
    struct ot_text names[4][PF_MAX]; /* by kind (categories, names, note names, texts) and iid */
    uint64_t flows[PF_MAX];
    size_t n_flows;
    int64_t base_ns;
    bool has_clock;
};

static inline struct pb_field pb_get(struct ot_text message, uint32_t number)
{
    struct pb_field field;
    struct pb_field found = {0};
    while (pb_next(&message, &field)) {
        if (field.number == number)
            found = field;
    }
    return found;
}

static inline void pf_clocks(struct pf_read *read, struct ot_text snapshot)
{
    int64_t clocks[128] = {0};
    bool has[128] = {0};
    struct pb_field field;
    assert_false(read->has_clock);
    read->has_clock = true;
    while (pb_next(&snapshot, &field)) {
        if (field.number != 1)
            continue;
        uint64_t id = pb_get(field.text, 1).value;
        assert_true(id < 128);
        has[id] = true;
        clocks[id] = (int64_t)pb_get(field.text, 2).value;
    }
    assert_true(has[6] && has[64]);
    read->base_ns = clocks[6] - clocks[64];
    ot_str_addf(&read->log, "clock %lld", (long long)read->base_ns);
    if (has[1]) {
        assert_true(clocks[1] == clocks[6]);
        ot_str_addf(&read->log, " since the epoch");
    }
    ot_str_addf(&read->log, "\n");
}

static inline void pf_intern(struct pf_read *read, struct ot_text data)
{
    struct pb_field field;
    while (pb_next(&data, &field)) {
        size_t kind = field.number == 29 ? 3 : field.number - 1;
        assert_true(kind < 4);
        uint64_t iid = pb_get(field.text, 1).value;
        assert_true(iid > 0 && iid < PF_MAX);
        assert_null(read->names[kind][iid].bytes);
        read->names[kind][iid] = pb_get(field.text, 2).text;
        assert_non_null(read->names[kind][iid].bytes);
    }
}

static inline void pf_add_name(struct pf_read *read, size_t kind, uint64_t iid)
{
    assert_true(iid < PF_MAX);
    assert_non_null(read->names[kind][iid].bytes);
    ot_str_add_text(&read->log, read->names[kind][iid]);
}

static inline void pf_add_note(struct pf_read *read, struct ot_text note)
{
    struct pb_field field;
    ot_str_addf(&read->log, " ");
    pf_add_name(read, 2, pb_get(note, 1).value);
    ot_str_addf(&read->log, "=");
    while (pb_next(&note, &field)) {
        if (field.number == 3)
            ot_str_addf(&read->log, "%llu", (unsigned long long)field.value);
        else if (field.number == 4)
            ot_str_addf(&read->log, "%lld", (long long)field.value);
        else if (field.number == 17)
            pf_add_name(read, 3, field.value);
        else
            assert_int_equal(field.number, 1);
    }
}

/* Arrows are counted in the order of first sight, so that a test can tell them. */
static inline void pf_add_flow(struct pf_read *read, uint64_t id)
{
    size_t at = 0;
    assert_true(id != 0);
    while (at < read->n_flows && read->flows[at] != id)
        at++;
    if (at == read->n_flows)
        read->flows[read->n_flows++] = id;
    ot_str_addf(&read->log, " arrow %zu", at + 1);
}

static inline void pf_event(struct pf_read *read, struct ot_text event, int64_t ts_ns)
{
    static const char *const types[] = {"?", "begin", "end", "point", "count"};
    uint64_t type = pb_get(event, 9).value;
    struct pb_field field;
    assert_true(type < 5);
    ot_str_addf(&read->log, "%s %llu @%lld", types[type],
                (unsigned long long)pb_get(event, 11).value, (long long)ts_ns);
    while (pb_next(&event, &field)) {
        switch (field.number) {
        case 10:
            ot_str_addf(&read->log, " ");
            pf_add_name(read, 1, field.value);
            break;
        case 3:
            ot_str_addf(&read->log, " [");
            pf_add_name(read, 0, field.value);
            ot_str_addf(&read->log, "]");
            break;
        case 4:
            pf_add_note(read, field.text);
            break;
        case 30:
            ot_str_addf(&read->log, " %lld", (long long)field.value);
            break;
        case 47:
            pf_add_flow(read, field.value);
            break;
        default:
            assert_true(field.number == 9 || field.number == 11);
        }
    }
    ot_str_addf(&read->log, "\n");
}

static inline void pf_track(struct pf_read *read, struct ot_text track)
{
    struct pb_field process = pb_get(track, 3);
    struct pb_field thread = pb_get(track, 4);
    struct pb_field parent = pb_get(track, 5);
    ot_str_addf(&read->log, "track %llu", (unsigned long long)pb_get(track, 1).value);
    if (parent.value)
        ot_str_addf(&read->log, " of %llu", (unsigned long long)parent.value);
    if (process.number)
        ot_str_addf(&read->log, " process %lld", (long long)pb_get(process.text, 1).value);
    if (thread.number)
        ot_str_addf(&read->log, " thread %lld of %lld", (long long)pb_get(thread.text, 2).value,
                    (long long)pb_get(thread.text, 1).value);
    if (pb_get(track, 8).number)
        ot_str_addf(&read->log, " counter");
    ot_str_addf(&read->log, ": ");
    ot_str_add_text(&read->log, pb_get(track, 2).text);
    ot_str_addf(&read->log, "\n");
}

static inline void pf_packet(struct pf_read *read, struct ot_text packet)
{
    struct pb_field sequence = pb_get(packet, 10);
    struct pb_field clock = pb_get(packet, 58);
    struct pb_field field;
    int64_t ts_ns = (int64_t)pb_get(packet, 8).value;
    assert_int_equal(sequence.value, 1);
    assert_int_equal(pb_get(packet, 13).value, read->has_clock ? 2 : 1);
    if (!clock.number)
        ts_ns += read->base_ns;
    while (pb_next(&packet, &field)) {
        if (field.number == 6)
            pf_clocks(read, field.text);
        else if (field.number == 11)
            pf_event(read, field.text, ts_ns);
        else if (field.number == 12)
            pf_intern(read, field.text);
        else if (field.number == 60)
            pf_track(read, field.text);
    }
}

/* `bytes` stays where it is while the result is used. */
static inline struct pf_read *pf_read(struct ot_text bytes)
{
    struct pf_read *read = calloc(1, sizeof(*read));
    struct pb_field field;
    assert_non_null(read);
    while (pb_next(&bytes, &field)) {
        assert_int_equal(field.number, 1);
        pf_packet(read, field.text);
    }
    assert_false(read->log.failed);
    return read;
}

static inline void pf_free(struct pf_read *read)
{
    ot_str_release(&read->log);
    free(read);
}

#endif
