#include "folder.h"

#include <endian.h>
#include <string.h>

#include "base/ctf_index.h"
#include "ingest/ctf/index.h"

static struct ot_err err;
static struct ot_ctf_packets sum;

struct packet {
    uint64_t begin;
    uint64_t bits;
};

enum { HEADER_BYTES = 16, ENTRY_BYTES = 72, MAX_PACKETS = 3 };

/* The trace folder "t", with a stream of 3000 bytes and an index of `n` packets. */
static int check(const struct packet *packets, size_t n, uint32_t magic)
{
    static const char stream[3000];
    uint8_t bytes[HEADER_BYTES + MAX_PACKETS * ENTRY_BYTES] = {0};
    uint32_t header[4] = {htobe32(magic), htobe32(1), htobe32(1), htobe32(ENTRY_BYTES)};
    memcpy(bytes, header, sizeof(header));
    for (size_t i = 0; i < n; i++) {
        uint64_t entry[2] = {htobe64(packets[i].begin), htobe64(packets[i].bits)};
        memcpy(bytes + HEADER_BYTES + i * ENTRY_BYTES, entry, sizeof(entry));
    }
    put_file("t/stream_0", stream, sizeof(stream));
    put_file("t/index/stream_0.idx", bytes, HEADER_BYTES + n * ENTRY_BYTES);
    sum = (struct ot_ctf_packets){0};
    return ot_ctf_check_indexes(in_folder("t"), &sum, &err);
}

static void an_index_has_to_agree_with_its_stream(void **state)
{
    (void)state;
    static const struct {
        struct packet packets[MAX_PACKETS];
        size_t n;
        int code;
        const char *says;
    } cases[] = {
        {{{0, 8000}, {1000, 16000}}, 2, OT_OK, NULL},
        {{{0, 8000}}, 1, OT_OK, NULL}, /* its later packets were lost, not its stream's */
        {{{0}}, 0, OT_OK, NULL},
        {{{0, 8000}, {1000, 24000}}, 2, OT_ERR_INPUT, "stream_0: cut short"},
        {{{0, 8000}, {2000, 8000}}, 2, OT_ERR_INPUT, "stream_0.idx: damaged"},
        {{{0, 8000}, {500, 8000}}, 2, OT_ERR_INPUT, "stream_0.idx: damaged"},
        {{{0, 0}}, 1, OT_ERR_INPUT, "stream_0.idx: damaged"},
        {{{0, UINT64_MAX}}, 1, OT_ERR_INPUT, "stream_0: cut short"},
        {{{UINT64_MAX, 8000}}, 1, OT_ERR_INPUT, "stream_0.idx: damaged"},
    };
    put_folder("t");
    put_folder("t/index");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(check(cases[i].packets, cases[i].n, 0xC1F1DCC1u), cases[i].code);
        if (cases[i].says)
            assert_non_null(strstr(err.msg, cases[i].says));
    }
}

static void packets_are_counted(void **state)
{
    (void)state;
    static const struct packet packets[] = {{0, 8000}, {1000, 16000}};
    put_folder("t");
    put_folder("t/index");
    assert_int_equal(check(packets, 2, 0xC1F1DCC1u), OT_OK);
    assert_int_equal(sum.n, 2);
    assert_int_equal(sum.n_bytes, 3000);
}

static void something_else_is_no_index(void **state)
{
    (void)state;
    const struct packet packet = {0, 8000};
    put_folder("t");
    put_folder("t/index");
    assert_int_equal(check(&packet, 1, 0x75D11D57u), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "not a packet index"));
}

static void a_trace_needs_no_index(void **state)
{
    (void)state;
    put_folder("none");
    assert_int_equal(ot_ctf_check_indexes(in_folder("none"), &sum, &err), OT_OK);
}

static void an_index_leads_to_its_stream(void **state)
{
    (void)state;
    static const struct {
        const char *index;
        const char *stream; /* NULL: it is no path of an index */
    } cases[] = {
        {"a/index/b_0.idx", "a/b_0"}, {"index/b_0.idx", "b_0"}, {"a/index/b_0", NULL},
        {"a/b_0.idx", NULL},          {"b_0.idx", NULL},        {"a/index/.idx", NULL},
    };
    char stream[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is_index = ot_ctf_index_stream(cases[i].index, stream, sizeof(stream));
        assert_int_equal(is_index, cases[i].stream != NULL);
        if (is_index)
            assert_string_equal(stream, cases[i].stream);
    }
    assert_false(ot_ctf_index_stream("a/index/b_0.idx", stream, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(an_index_has_to_agree_with_its_stream),
        IN_FOLDER(packets_are_counted),
        IN_FOLDER(something_else_is_no_index),
        IN_FOLDER(a_trace_needs_no_index),
        cmocka_unit_test(an_index_leads_to_its_stream),
    };
    return RUN(tests);
}
