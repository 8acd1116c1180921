/* Packets are read back with the decoder of pftrace.h. */
#include "pftrace.h"

#include <stdio.h>
#include <unistd.h>

#include "emit/pftrace/pftrace.h"
#include "emit/pftrace/wire.h"

struct written {
    struct ot_names names;
    char *bytes;
    size_t len;
    FILE *out;
    struct ot_pftrace *trace;
};

static struct ot_err err;

static void begin(struct written *written)
{
    *written = (struct written){0};
    written->out = open_memstream(&written->bytes, &written->len);
    written->trace = ot_pftrace_new(written->out, &written->names);
    assert_non_null(written->trace);
}

static uint32_t name(struct written *written, const char *text)
{
    uint32_t id = 0;
    assert_int_equal(ot_names_intern(&written->names, ot_text_of(text), &id, &err), OT_OK);
    return id;
}

/* Ends it all. */
static void assert_written(struct written *written, const char *expected)
{
    assert_int_equal(ot_pftrace_finish(written->trace, &err), OT_OK);
    fclose(written->out);
    struct pf_read *read = pf_read((struct ot_text){written->bytes, written->len});
    assert_string_equal(ot_str_borrow(&read->log), expected);
    pf_free(read);
    ot_pftrace_free(written->trace);
    ot_names_release(&written->names);
    free(written->bytes);
}

static void put(struct written *written, enum ot_pftrace_event_kind kind, int64_t ts_ns,
                uint32_t id)
{
    const struct ot_pftrace_event event = {
        .kind = kind, .track = 1, .ts_ns = ts_ns, .name = id, .category = OT_PFTRACE_NO_NAME};
    ot_pftrace_put_event(written->trace, &event);
}

static void every_number_survives(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uint8_t bytes[OT_WIRE_FIELD_BYTES];
        uint8_t *end = ot_wire_put_uint(bytes, 536870911, numbers[i]);
        assert_true(end <= bytes + sizeof(bytes));
        struct ot_text text = {(const char *)bytes, (size_t)(end - bytes)};
        struct pb_field field = {0};
        assert_true(pb_next(&text, &field));
        assert_int_equal(field.number, 536870911);
        assert_true(field.value == numbers[i]);
        assert_int_equal(text.len, 0);
    }
}

/* Around the lengths at which the length itself takes a byte more. */
static void texts_and_messages_of_every_length_survive(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 1, 124, 125, 126, 127, 128, 200, 16379, 16380, 16384, 70000};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        struct written written;
        char *text = malloc(lens[i] + 1);
        memset(text, 'x', lens[i]);
        text[lens[i]] = '\0';
        begin(&written);
        ot_pftrace_put_clock(written.trace, 0, false);
        const struct ot_pftrace_track track = {.uuid = 1, .name = {text, lens[i]}};
        ot_pftrace_put_track(written.trace, &track);
        put(&written, OT_PFTRACE_BEGIN, 5, name(&written, text));
        struct ot_str expected = {0};
        ot_str_addf(&expected, "clock 0\ntrack 1: %s\nbegin 1 @5 %s\n", text, text);
        assert_written(&written, ot_str_borrow(&expected));
        ot_str_release(&expected);
        free(text);
    }
}

static void processes_threads_rows_and_counters_are_told_apart(void **state)
{
    (void)state;
    static const struct ot_pftrace_track tracks[] = {
        {.kind = OT_PFTRACE_PROCESS, .uuid = 1, .name = {"python", 6}, .pid = 4000},
        {.kind = OT_PFTRACE_THREAD, .uuid = 2, .parent = 1, .pid = 4000, .tid = 4001},
        {.kind = OT_PFTRACE_TRACK, .uuid = 300, .parent = 2, .name = {"waits", 5}},
        {.kind = OT_PFTRACE_COUNTER, .uuid = 4, .parent = 1, .name = {"bytes", 5}},
    };
    struct written written;
    begin(&written);
    ot_pftrace_put_clock(written.trace, 1700000000000000000, true);
    for (size_t i = 0; i < 4; i++)
        ot_pftrace_put_track(written.trace, &tracks[i]);
    ot_pftrace_put_counter(written.trace, 4, 1700000000000000001, -5);
    assert_written(&written, "clock 1700000000000000000 since the epoch\n"
                             "track 1 process 4000: python\n"
                             "track 2 of 1 thread 4001 of 4000: \n"
                             "track 300 of 2: waits\n"
                             "track 4 of 1 counter: bytes\n"
                             "count 4 @1700000000000000001 -5\n");
}

static void notes_and_arrows_survive(void **state)
{
    (void)state;
    struct written written;
    begin(&written);
    ot_pftrace_put_clock(written.trace, 100, false);
    const struct ot_pftrace_note notes[] = {
        {name(&written, "shapes"), OT_PFTRACE_TEXT, name(&written, "[[2]]")},
        {name(&written, "sequence"), OT_PFTRACE_INT, (uint64_t)-1},
        {name(&written, "correlation"), OT_PFTRACE_UINT, UINT64_MAX},
    };
    const uint64_t flows[] = {7, UINT64_MAX, 7};
    struct ot_pftrace_event event = {
        .kind = OT_PFTRACE_BEGIN,
        .track = 9,
        .ts_ns = 101,
        .name = name(&written, "add"),
        .category = name(&written, "op"),
        .notes = notes,
        .n_notes = 3,
        .flows = flows,
        .n_flows = 3,
    };
    ot_pftrace_put_event(written.trace, &event);
    event.n_notes = event.n_flows = 0;
    event.kind = OT_PFTRACE_INSTANT;
    ot_pftrace_put_event(written.trace, &event);
    assert_written(&written, "clock 100\n"
                             "begin 9 @101 add [op] shapes=[[2]] sequence=-1 "
                             "correlation=18446744073709551615 arrow 1 arrow 2 arrow 1\n"
                             "point 9 @101 add [op]\n");
}

static void a_time_before_the_base_survives(void **state)
{
    (void)state;
    struct written written;
    begin(&written);
    ot_pftrace_put_clock(written.trace, 1000, false);
    put(&written, OT_PFTRACE_BEGIN, 999, name(&written, "early"));
    put(&written, OT_PFTRACE_END, 1000, OT_PFTRACE_NO_NAME);
    put(&written, OT_PFTRACE_INSTANT, INT64_MAX, name(&written, "late"));
    assert_written(&written, "clock 1000\n"
                             "begin 1 @999 early\n"
                             "end 1 @1000\n"
                             "point 1 @9223372036854775807 late\n");
}

/* As Unicode has it: what is no UTF-8 becomes U+FFFD, and all else stays, also what no line may
 * hold. */
static void names_that_are_no_utf8_become_utf8(void **state)
{
    (void)state;
    struct written written;
    begin(&written);
    ot_pftrace_put_clock(written.trace, 0, false);
    put(&written, OT_PFTRACE_BEGIN, 1, name(&written, "a\xff\xc3\xa4\"\\\x01<b>\xe2\x82"));
    assert_written(&written, "clock 0\nbegin 1 @1 "
                             "a\xef\xbf\xbd\xc3\xa4\"\\\x01<b>\xef\xbf\xbd\xef\xbf\xbd\n");
}

static void begins_and_ends_take_fewer_than_25_bytes(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct written written;
    begin(&written);
    ot_pftrace_put_clock(written.trace, 1700000000000000000, true);
    uint32_t ids[] = {name(&written, "aten::add"), name(&written, "aten::mul")};
    uint32_t category = name(&written, "cpu_op");
    for (int64_t i = 0; i < N; i++) {
        const struct ot_pftrace_event event = {.kind = OT_PFTRACE_BEGIN,
                                               .track = 5,
                                               .ts_ns = 1700000000000000000 + i * 10000000,
                                               .name = ids[i % 2],
                                               .category = category};
        ot_pftrace_put_event(written.trace, &event);
        const struct ot_pftrace_event end = {.kind = OT_PFTRACE_END,
                                             .track = 5,
                                             .ts_ns = 1700000000000000000 + i * 10000000 + 10,
                                             .name = OT_PFTRACE_NO_NAME,
                                             .category = OT_PFTRACE_NO_NAME};
        ot_pftrace_put_event(written.trace, &end);
    }
    assert_int_equal(ot_pftrace_finish(written.trace, &err), OT_OK);
    fclose(written.out);
    assert_true(written.len / (2 * N) < 25);
    ot_pftrace_free(written.trace);
    ot_names_release(&written.names);
    free(written.bytes);
}

static void a_full_disk_is_told_and_nothing_more_is_written(void **state)
{
    (void)state;
    struct ot_names names = {0};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct ot_pftrace *trace = ot_pftrace_new(full, &names);
    ot_pftrace_put_clock(trace, 0, false);
    assert_int_equal(ot_pftrace_check(trace, &err), OT_OK);
    for (int i = 0; i < 200000; i++)
        ot_pftrace_put_counter(trace, 1, i, i);
    assert_int_equal(ot_pftrace_check(trace, &err), OT_ERR_IO);
    ot_pftrace_put_counter(trace, 1, 1, 1);
    assert_int_equal(ot_pftrace_finish(trace, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "No space left on device"));
    ot_pftrace_free(trace);
    fclose(full);
    ot_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_survives),
        cmocka_unit_test(texts_and_messages_of_every_length_survive),
        cmocka_unit_test(processes_threads_rows_and_counters_are_told_apart),
        cmocka_unit_test(notes_and_arrows_survive),
        cmocka_unit_test(a_time_before_the_base_survives),
        cmocka_unit_test(names_that_are_no_utf8_become_utf8),
        cmocka_unit_test(begins_and_ends_take_fewer_than_25_bytes),
        cmocka_unit_test(a_full_disk_is_told_and_nothing_more_is_written),
    };
    return RUN(tests);
}
