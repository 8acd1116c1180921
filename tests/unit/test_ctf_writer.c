/* What the CTF writer writes is read back with the reader of CTF traces, which is libbabeltrace2.
 */
#include "folder.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "emit/ctf/metadata.h"
#include "emit/ctf/nesting.h"
#include "emit/ctf/writer.h"
#include "ingest/ctf/reader.h"
#include "model/backend.h"

static struct ot_err err;
static struct ot_ctf_left_out left_out;

static const struct ot_event no_event = {
    .backend = OT_BACKEND_PYTORCH, .host = {"node1", 5}, .vpid = 10, .vtid = 11};

static struct ot_event point(enum ot_event_kind kind, int64_t ts_ns, const char *name)
{
    struct ot_event event = no_event;
    event.kind = kind;
    event.ts_ns = ts_ns;
    event.name = ot_text_of(name);
    return event;
}

static struct ot_event entry(int64_t ts_ns, const char *name)
{
    return point(OT_EVENT_ENTRY, ts_ns, name);
}

static struct ot_event leave(int64_t ts_ns, const char *name)
{
    return point(OT_EVENT_EXIT, ts_ns, name);
}

static struct ot_event loss(uint64_t n, bool known)
{
    struct ot_event event = no_event;
    event.kind = OT_EVENT_DISCARDED;
    event.n_discarded = n;
    event.n_discarded_known = known;
    return event;
}

static struct ot_event on_thread(struct ot_event event, uint64_t vtid)
{
    event.vtid = vtid;
    return event;
}

static struct ot_event on_host(struct ot_event event, const char *host)
{
    event.host = ot_text_of(host);
    return event;
}

static int write_trace(const struct ot_event *events, size_t n)
{
    struct ot_ctf_writer *writer = ot_ctf_writer_new(folder);
    assert_non_null(writer);
    int code = OT_OK;
    for (size_t i = 0; code == OT_OK && i < n; i++)
        code = ot_ctf_writer_add(writer, &events[i], &err);
    if (code == OT_OK)
        code = ot_ctf_writer_finish(writer, &left_out, &err);
    ot_ctf_writer_free(writer);
    return code;
}

#define WRITE(events) assert_int_equal(write_trace(events, sizeof(events) / sizeof(events[0])), 0)

/* All events as lines, and losses as "lost N" or "lost N?". */
static const char *read_trace(void)
{
    static struct ot_str text;
    struct ot_event event;
    struct ot_reader *reader = NULL;
    const struct ot_reader_opts opts = {.want_text = true, .in_order = true};
    const char *const path = folder;
    ot_str_clear(&text);
    ot_str_addf(&text, "\n");
    assert_int_equal(ot_ctf_reader.open(&path, 1, &opts, &reader, &err), OT_OK);
    int code;
    while ((code = ot_ctf_reader.next(reader, &event, &err)) == OT_OK) {
        if (event.kind == OT_EVENT_DISCARDED)
            ot_str_addf(&text, "lost %" PRIu64 "%s\n", event.n_discarded,
                        event.n_discarded_known ? "" : "?");
        else
            ot_str_addf(&text, "%" PRId64 " %.*s %" PRId64 "/%" PRIu64 " %.*s { %.*s }\n",
                        event.ts_ns, (int)event.host.len, event.host.bytes, event.vpid, event.vtid,
                        (int)event.event_name.len, event.event_name.bytes, (int)event.payload.len,
                        event.payload.bytes);
    }
    ot_ctf_reader.close(reader);
    assert_int_equal(code, OT_END);
    return ot_str_borrow(&text);
}

static int count_files(const char *sub_folder, const char *prefix)
{
    int n = 0;
    char name[64];
    struct stat status;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "%s/%s_%d", sub_folder, prefix, i);
        n += stat(in_folder(name), &status) == 0;
    }
    return n;
}

static void entries_and_exits_are_those_of_lttng(void **state)
{
    (void)state;
    struct ot_event events[] = {
        entry(1700000000000000001, "aten::abs"),
        entry(1700000000000000002, "aten::abs.out"),
        leave(1700000000000000003, "aten::abs.out"),
        leave(1700000000000000004, "aten::abs"),
        entry(1700000000000000005, "step, \"1\" \xc3\xbc"),
        leave(1700000000000000006, ""),
    };
    events[1].overload = events[2].overload = (struct ot_text){"out", 3};
    events[4].backend = events[5].backend = OT_BACKEND_ANNOTATION;
    WRITE(events);
    assert_string_equal(
        read_trace(),
        "\n"
        "1700000000000000001 node1 10/11 lttng_ust_pytorch:op_entry { name: \"aten::abs\", "
        "overload_name: \"default\" }\n"
        "1700000000000000002 node1 10/11 lttng_ust_pytorch:op_entry { name: \"aten::abs\", "
        "overload_name: \"out\" }\n"
        "1700000000000000003 node1 10/11 lttng_ust_pytorch:op_exit { name: \"aten::abs\", "
        "overload_name: \"out\" }\n"
        "1700000000000000004 node1 10/11 lttng_ust_pytorch:op_exit { name: \"aten::abs\", "
        "overload_name: \"default\" }\n"
        "1700000000000000005 node1 10/11 lttng_ust_pytorch:annotation_entry { name: \"step, "
        "\\\"1\\\" \xc3\xbc\" }\n"
        "1700000000000000006 node1 10/11 lttng_ust_pytorch:annotation_exit { name: \"(no name)\" "
        "}\n");
}

static void times_are_exact_however_far_apart(void **state)
{
    (void)state;
    static const int64_t times[] = {
        0,
        1,
        1,
        INT64_C(1) << 32,
        (INT64_C(1) << 33) - 1,
        (INT64_C(1) << 33) + 1,
        INT64_C(1) << 40,
        (INT64_C(1) << 40) + UINT32_MAX,
        INT64_MAX - 1,
        INT64_MAX - 1,
    };
    enum { N = sizeof(times) / sizeof(times[0]) };
    struct ot_event events[N];
    for (size_t i = 0; i < N; i++)
        events[i] = entry(times[i], "x");
    WRITE(events);
    const char *at = read_trace();
    for (size_t i = 0; i < N; i++) {
        at = strchr(at, '\n') + 1;
        assert_int_equal(strtoll(at, NULL, 10), times[i]);
    }
}

static void losses_are_counted_as_they_are_known(void **state)
{
    (void)state;
    const struct ot_event known[] = {entry(100, "x"), loss(5, true), leave(200, "x"),
                                     loss(2, true)};
    WRITE(known);
    assert_non_null(strstr(read_trace(), "lost 7\n"));
    assert_int_equal(count_files("node1", "lost"), 1);
}

static void a_loss_of_unknown_size_stays_one(void **state)
{
    (void)state;
    const struct ot_event unknown[] = {loss(5, true), loss(1, false), entry(100, "x")};
    WRITE(unknown);
    const char *text = read_trace();
    assert_non_null(strstr(text, "lost 1?\n"));
    assert_non_null(strstr(text, "lost 5\n"));
}

static void nothing_at_all_is_a_valid_trace(void **state)
{
    (void)state;
    assert_int_equal(write_trace(NULL, 0), OT_OK);
    assert_string_equal(read_trace(), "\n");
}

static void losses_alone_are_a_valid_trace(void **state)
{
    (void)state;
    const struct ot_event events[] = {loss(3, true)};
    WRITE(events);
    assert_string_equal(read_trace(), "\nlost 3\n");
}

static void hosts_have_a_trace_each(void **state)
{
    (void)state;
    const struct ot_event events[] = {
        on_host(entry(1, "a"), "node1"),      on_host(entry(2, "b"), "../node\"2\\"),
        on_host(leave(3, "a"), "node1"),      on_host(leave(4, "b"), "../node\"2\\"),
        on_host(entry(5, "c"), ".._node_2_"),
    };
    WRITE(events);
    assert_string_equal(
        read_trace(),
        "\n"
        "1 node1 10/11 lttng_ust_pytorch:op_entry { name: \"a\", overload_name: \"default\" }\n"
        "2 ../node\"2\\ 10/11 lttng_ust_pytorch:op_entry { name: \"b\", overload_name: \"default\" "
        "}\n"
        "3 node1 10/11 lttng_ust_pytorch:op_exit { name: \"a\", overload_name: \"default\" }\n"
        "4 ../node\"2\\ 10/11 lttng_ust_pytorch:op_exit { name: \"b\", overload_name: \"default\" "
        "}\n"
        "5 .._node_2_ 10/11 lttng_ust_pytorch:op_entry { name: \"c\", overload_name: \"default\" "
        "}\n");
    assert_int_equal(count_files("node1", "pytorch"), 1);
    assert_int_equal(count_files("_._node_2_", "pytorch"), 1);
    assert_int_equal(count_files("_._node_2__2", "pytorch"), 1);
}

/* Threads come one after the other, as a reader of logs yields them. */
static void threads_share_a_stream_if_one_ends_before_the_other(void **state)
{
    (void)state;
    enum { N_THREADS = 100 };
    struct ot_event events[4 * N_THREADS];
    size_t n = 0;
    for (int i = 0; i < N_THREADS; i++) {
        /* Two at a time. */
        int64_t at = 100 * (i / 2);
        for (int k = 0; k < 4; k++)
            events[n++] = on_thread(k % 2 ? leave(at + 10 * k, "x") : entry(at + 10 * k, "x"),
                                    (uint64_t)(20 + i));
    }
    WRITE(events);
    assert_int_equal(count_files("node1", "pytorch"), 2);
    const char *at = read_trace();
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        at = strchr(at, '\n') + 1;
        int64_t now = strtoll(at, NULL, 10);
        assert_true(now >= last);
        last = now;
    }
    assert_string_equal(strchr(at, '\n'), "\n");
}

static void many_events_and_long_names_fill_many_packets(void **state)
{
    (void)state;
    enum { N = 20000, LONG = 1 << 14 };
    static struct ot_event events[2 * N];
    static char long_name[LONG + 1];
    memset(long_name, 'n', LONG);
    for (int i = 0; i < N; i++) {
        const char *name = i % 1000 ? "aten::add" : long_name;
        events[2 * i] = entry(10 * i, name);
        events[2 * i + 1] = leave(10 * i + 5, name);
    }
    WRITE(events);
    const char *text = read_trace();
    size_t n_lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        n_lines++;
    assert_int_equal(n_lines, 2 * N + 1);
    assert_non_null(strstr(text, long_name));
}

static void same_host_same_metadata(void **state)
{
    (void)state;
    struct ot_str text[2] = {0};
    for (int i = 0; i < 2; i++)
        ot_ctf_add_metadata(&text[i], ot_text_of("node1"));
    assert_string_equal(ot_str_borrow(&text[0]), ot_str_borrow(&text[1]));
    ot_str_release(&text[0]);
    ot_str_release(&text[1]);
}

static void what_ctf_cannot_hold_is_refused(void **state)
{
    (void)state;
    const struct ot_event before_epoch = entry(-1, "x");
    const struct ot_event huge_thread = on_thread(entry(1, "x"), UINT64_C(1) << 40);
    assert_int_equal(write_trace(&before_epoch, 1), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "out of what CTF can hold"));
    put_folder("other");
    assert_int_equal(write_trace(&huge_thread, 1), OT_ERR_INPUT);
}

static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    const struct ot_event_args args = {.has_sequence = true, .shapes = {"[[2]]", 5}, .bytes = 1};
    struct ot_event events[] = {entry(1, "x"), leave(2, "x"), no_event};
    events[0].args = &args;
    events[2].kind = OT_EVENT_MEMORY;
    events[2].args = &args;
    WRITE(events);
    assert_int_equal(left_out.sequences, 1);
    assert_int_equal(left_out.shapes, 1);
    assert_int_equal(left_out.memory_events, 1);
    assert_int_equal(left_out.crossings, 0);
}

static void an_exit_across_younger_calls_is_counted(void **state)
{
    (void)state;
    struct ot_event events[] = {
        entry(1, "waits"), entry(2, "other"), leave(3, "waits"),
        leave(4, "other"), entry(5, "waits"), leave(6, "waits"),
    };
    events[2].ends_exactly = events[5].ends_exactly = true;
    events[2].began_ns = 1;
    events[5].began_ns = 5;
    WRITE(events);
    assert_int_equal(left_out.crossings, 1);
}

static void open_calls_are_told_apart_by_name_and_time(void **state)
{
    (void)state;
    struct ot_nesting open = {0};
    const struct ot_text a = ot_text_of("a");
    const struct ot_text b = ot_text_of("b");
    assert_true(ot_nesting_begin(&open, a, 1));
    assert_true(ot_nesting_begin(&open, b, 2));
    assert_true(ot_nesting_begin(&open, a, 3));
    assert_false(ot_nesting_end_exactly(&open, b, 3)); /* there is none */
    assert_int_equal(open.n, 3);
    assert_false(ot_nesting_end_exactly(&open, a, 1));
    assert_int_equal(open.n, 2);
    ot_nesting_end(&open, b); /* and what has begun since */
    assert_int_equal(open.n, 0);
    ot_nesting_end(&open, b);
    assert_true(ot_nesting_begin(&open, a, 4));
    assert_true(ot_nesting_end_exactly(&open, a, 4));
    ot_nesting_release(&open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(entries_and_exits_are_those_of_lttng),
        IN_FOLDER(times_are_exact_however_far_apart),
        IN_FOLDER(losses_are_counted_as_they_are_known),
        IN_FOLDER(a_loss_of_unknown_size_stays_one),
        IN_FOLDER(nothing_at_all_is_a_valid_trace),
        IN_FOLDER(losses_alone_are_a_valid_trace),
        IN_FOLDER(hosts_have_a_trace_each),
        IN_FOLDER(threads_share_a_stream_if_one_ends_before_the_other),
        IN_FOLDER(many_events_and_long_names_fill_many_packets),
        cmocka_unit_test(same_host_same_metadata),
        IN_FOLDER(what_ctf_cannot_hold_is_refused),
        IN_FOLDER(what_is_left_out_is_counted),
        IN_FOLDER(an_exit_across_younger_calls_is_counted),
        cmocka_unit_test(open_calls_are_told_apart_by_name_and_time),
    };
    return RUN(tests);
}
