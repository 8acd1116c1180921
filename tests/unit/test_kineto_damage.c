#include "test.h"

#include <stdio.h>

#include "kineto.h"

/* JSON with ' for ". */
static void tell(struct ot_str *log, const char *json, const struct ot_kineto_trace_opts *opts)
{
    struct ot_str text = {0};
    ot_str_add_text(&text, ot_text_of(json));
    for (size_t i = 0; i < text.len; i++)
        text.bytes[i] = (char)(text.bytes[i] == '\'' ? '"' : text.bytes[i]);
    ot_str_clear(log);
    tell_trace(log, ot_str_borrow(&text), text.len, 64, opts);
    ot_str_release(&text);
}

static void repeat(struct ot_str *str, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ot_str_add_text(str, ot_text_of(text));
}

static const struct ot_kineto_trace_opts strict = {0};
static const struct ot_kineto_trace_opts recover = {.recover = true};

static void assert_told(const char *json, const struct ot_kineto_trace_opts *opts,
                        const char *expected)
{
    struct ot_str log = {0};
    tell(&log, json, opts);
    assert_string_equal(ot_str_borrow(&log), expected);
    ot_str_release(&log);
}

#define OP(name)   "{'ph':'X','cat':'cpu_op','name':'" name "','ts':1,'dur':2,'args':{'x':[1]}}"
#define TOLD(name) "op 1000+2000 -1/0 " name " cat cpu_op\n"

/* One damaged event between good ones: an error that names the place, or one event less. */
static void one_damaged_event_is_named_or_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *damaged;
        size_t at; /* of the fault */
        const char *what;
    } rows[] = {
        {OP("say \"hello\""), 38, "no ',' or '}' behind a value"},
        {OP("C:\\path"), 35, "not an escape that JSON has"},
        {OP("\\u12g4"), 33, "not an escape that JSON has"},
        {OP("line\nbreak"), 37, "a line break inside a string"},
        {"{'ph':'X','name':N/A,'ts':1}", 17, "not a JSON value"},
        {"{'ph':'X','ts':NaN}", 15, "not a JSON value"},
        {"{'ph':'X','ts':1,'args':{'x':[1,{'y':Infinity}]}}", 37, "not a JSON value"},
        {"{'ph':'X','ts':1,'args':{'x':-Infinity}}", 30, "not a JSON value"},
        {"{'ph':'X','ts':'soon','dur':1}", 15, "ts: not a number"},
        {"{'ph':'X','cat':'cpu_op','ts':1,'dur':'?'}", 38, "dur: not a number"},
        {"{'ph':'X','ts':01,'dur':1}", 15, "a number that begins with 0"},
        {"{'ph':'X','ts':1.,'dur':1}", 17, "a number without digits behind its point"},
        {"{'ph':'X','ts':1e,'dur':1}", 17, "a number without digits in its exponent"},
        {"{'ph':'X','ts':+1,'dur':1}", 15, "not a JSON value"},
        {"{'ph':'X','ts':tru,'dur':1}", 15, "not a JSON value"},
        {"{'ph':'X',}", 10, "not a key in quotes"},
        {"{'ph' 'X'}", 6, "no ':' behind a key"},
        {"{'ph':'X','args':{'a':[1,]}}", 25, "not a JSON value"},
        {"{'ph':'X','args':{'a':{'b' 1}}}", 27, "no ':' behind a key"},
        {"{'ph':'X','args':{'a':{'b':1]}}", 28, "no ',' or '}' behind a value"},
        {"{'ph':'X','args':{'a':[1}}", 24, "no ',' or ']' behind a value"},
        {"{ph:'X'}", 1, "not a key in quotes"},
        {"17", 0, "not an event in braces"},
        {"null", 0, "not an event in braces"},
        {"['X']", 0, "not an event in braces"},
        /* What was lost is the end of the event: the next brace is in the wrong place. */
        {"{'ph':'X','name':'b','args':{'x':1}", 36, "not a key in quotes"},
        {"{'ph':'X','name':'b'", 21, "not a key in quotes"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char json[512];
        char place[64];
        char expected[512];
        snprintf(json, sizeof(json), "[%s,%s,%s]", OP("a"), rows[i].damaged, OP("c"));
        snprintf(place, sizeof(place), "event 2 (byte %zu)", strlen("[" OP("a") ",") + rows[i].at);
        snprintf(expected, sizeof(expected), "%serror: %s: %s\n", TOLD("a"), place, rows[i].what);
        assert_told(json, &strict, expected);
        snprintf(expected, sizeof(expected), "%s%sdamaged 1\nwarning damaged_event 1 %s\n",
                 TOLD("a"), TOLD("c"), place);
        assert_told(json, &recover, expected);
    }
}

static void what_is_wrong_between_events_costs_none_of_them(void **state)
{
    (void)state;
    assert_told("[" OP("a") OP("b") "]", &strict,
                TOLD("a") "error: event 2 (byte 69): no ',' or ']' behind an event\n");
    assert_told("[" OP("a") OP("b") "]", &recover,
                TOLD("a") TOLD("b") "damaged 1\nwarning damaged_event 1 event 2 (byte 69)\n");
    assert_told("[" OP("a") ",,}" OP("b") "]", &recover,
                TOLD("a") TOLD("b") "damaged 1\nwarning damaged_event 1 event 2 (byte 70)\n");
    assert_told("{'traceEvents':[" OP("a") ",\n],'host_name':'h'}", &recover,
                TOLD("a") "host h\ndamaged 1\nwarning damaged_event 1 event 2 (byte 86)\n");
}

static void braces_and_brackets_in_names_and_args_are_no_events(void **state)
{
    (void)state;
    assert_told(
        "[" OP("a") ",{'ph':'X','name':'b{\\'ph\\': ]},{','args':{'name':{'name':NaN}}}," OP(
            "c") "]",
        &recover,
        TOLD("a") TOLD("c") "damaged 1\n"
                            "warning damaged_event 1 event 2 (byte 127)\n");
}

static void behind_the_last_damaged_event_the_rest_is_read(void **state)
{
    (void)state;
    assert_told("{'traceEvents':[" OP("a") ",{'ph':NaN}\n],'baseTimeNanoseconds':3}", &recover,
                TOLD("a") "base 3\ndamaged 1\nwarning damaged_event 1 event 2 (byte 91)\n");
}

static void a_damaged_head_costs_no_event(void **state)
{
    (void)state;
    assert_told("{'host_name':N/A,'traceEvents' : [" OP("a") "],'baseTimeNanoseconds':3}", &recover,
                TOLD("a") "base 3\ndamaged 1\nwarning damaged_event 1 byte 13\n");
    assert_told("{'a':{'b' 1},'traceEvents':[" OP("a") "]}", &strict,
                "error: byte 10: no ':' behind a key\n");
}

static void a_damaged_tail_costs_no_event(void **state)
{
    (void)state;
    assert_told("{'traceEvents':[" OP("a") "],'x':NaN}", &recover,
                TOLD("a") "damaged 1\nwarning damaged_event 1 byte 90\n");
    assert_told("[" OP("a") "]]", &strict,
                TOLD("a") "error: byte 70: more text behind the end of the trace\n");
    assert_told("[" OP("a") "] x", &recover,
                TOLD("a") "damaged 1\nwarning damaged_event 1 byte 71\n");
}

static void values_inside_of_a_damaged_event_are_no_events(void **state)
{
    (void)state;
    assert_told("[" OP("a") ",{'ph':'X','name':'x'y','args':{'x':[{'name':'q'}],'y':1}}," OP(
                    "b") "," OP("c") "]",
                &recover,
                TOLD("a") TOLD("b")
                    TOLD("c") "damaged 1\nwarning damaged_event 1 event 2 (byte 90)\n");
}

static void a_bracket_too_many_costs_no_event(void **state)
{
    (void)state;
    assert_told("[" OP("a") "],'x':{'y':[1]}," OP("b") "]", &recover,
                TOLD("a") TOLD("b") "damaged 1\nwarning damaged_event 1 byte 70\n");
    assert_told("[" OP("a") "]," OP("b") "]", &recover,
                TOLD("a") TOLD("b") "damaged 1\nwarning damaged_event 1 byte 70\n");
    assert_told("{'traceEvents':[" OP("a") "]," OP("b") "],'host_name':'h'}", &recover,
                TOLD("a") TOLD("b") "host h\ndamaged 1\nwarning damaged_event 1 byte 86\n");
}

static void a_cut_trace_says_how_much_was_read(void **state)
{
    (void)state;
    assert_told("[" OP("a") ",{'ph':'X','name':'b", &strict,
                TOLD("a") "error: ends early, inside event 2 (byte 89): 1 event was read; "
                          "--recover keeps it\n");
    assert_told("[" OP("a") ",{'ph':'X','name':'b", &recover,
                TOLD("a") "truncated 1\nwarning truncated 1 event 2 (byte 89)\n");
    assert_told("[" OP("a") ",", &strict,
                TOLD("a") "error: ends early, behind event 1 (byte 70): 1 event was read; "
                          "--recover keeps it\n");
    assert_told("{'traceEvents':[" OP("a") "]", &strict,
                TOLD("a") "error: ends early, at byte 85: 1 event was read; "
                          "--recover keeps it\n");
    assert_told("{'traceEvents':[", &strict, "error: ends early, at byte 16: 0 events were read\n");
    assert_told("{'x':[1,2", &strict, "error: ends early, at byte 9: 0 events were read\n");
}

static void a_cut_behind_a_damaged_event_is_both(void **state)
{
    (void)state;
    assert_told("[" OP("a") ",{'ph':NaN", &recover,
                TOLD("a") "damaged 1\ntruncated 1\n"
                          "warning damaged_event 1 event 2 (byte 76)\n"
                          "warning truncated 1 event 2 (byte 79)\n");
}

static void recovering_nothing_is_an_error_all_the_same(void **state)
{
    (void)state;
    assert_told("[{'ph':NaN}]", &recover, "error: event 1 (byte 7): not a JSON value\n");
    assert_told("[{'ph':'X'", &recover,
                "error: ends early, inside event 1 (byte 10): 0 events were read\n");
    assert_told("{'a':1}", &recover,
                "error: JSON, but no trace of torch.profiler: there is no \"traceEvents\"\n");
    assert_told("{'traceEvents':3}", &recover, "error: byte 15: traceEvents: not an array\n");
    assert_told("{'a':1},", &recover, "error: byte 7: more text behind the end of the trace\n");
    assert_told("", &recover, "error: there is nothing in it\n");
    assert_told(" \n ", &strict, "error: there is nothing in it\n");
}

static void damaged_packing_says_so_and_keeps_what_was_whole(void **state)
{
    (void)state;
    const struct ot_kineto_trace_opts packed = {.is_packed = true};
    const struct ot_kineto_trace_opts packed_recover = {.is_packed = true, .recover = true};
    assert_told("[" OP("a") ",{'ph", &packed,
                TOLD("a") "error: the packed data is damaged: 1 event was read; "
                          "--recover keeps it\n");
    assert_told("[" OP("a") "]", &packed,
                TOLD("a") "error: the packed data is damaged: 1 event was read; "
                          "--recover keeps it\n");
    assert_told("[" OP("a") ",{'ph", &packed_recover,
                TOLD("a") "truncated 1\n"
                          "warning truncated 1 event 2 (byte 74 of the unpacked text)\n");
    assert_told("[" OP("a") ",{'ts':x}]", &packed,
                TOLD("a") "error: event 2 (byte 76 of the unpacked text): not a JSON value\n");
}

/* --- what is no JSON ------------------------------------------------------------------------ */

static void a_stream_of_something_else_is_told_what_it_seems_to_be(void **state)
{
    (void)state;
    char tar[512] = "trace.json";
    memcpy(tar + 257, "ustar", 5);
    const struct {
        const char *bytes;
        size_t len;
        const char *part;
    } rows[] = {
#define ROW(bytes, part) {bytes, sizeof(bytes) - 1, part}
        ROW("hello", "error: a text file, not a trace; "),
        ROW("\n <!DOCTYPE html><title>Log in</title>", "error: an HTML page"),
        ROW("\x0a\x04\x50\x01\x18\x02\x0a\x02\x50\x01", "error: a Perfetto trace"),
        ROW("\x0a\x20\x0a\x1e                              ", "error: a Perfetto trace"),
        ROW("PK\3\4\x14\0\0\0\x0d\0model/data.pkl", "error: what torch.save() wrote"),
        ROW("PK\3\4\x14\0\0\0\x0a\0trace.json", "error: a zip archive"),
        ROW("\x80\x04\x95\x11\x22", "error: a Python pickle"),
        ROW("SQLite format 3\0\x10", "error: an SQLite database"),
        ROW("\xff\xfe{\0\"\0", "error: text in UTF-16"),
        ROW("{\0\"\0", "error: text in UTF-16"),
        ROW("\0{\0\"", "error: text in UTF-16"),
        ROW("\xfd"
            "7zXZ\0\0\4",
            "error: xz data"),
        ROW("BZh91AY&SY\1", "error: bzip2 data"),
        ROW("\x7f"
            "ELF\x02\x01\x01\0\xff",
            "error: not a trace that can be read here; "),
        ROW("\xef\xbb\xbf[\0", "error: not a trace that can be read here; "),
#undef ROW
        {tar, sizeof(tar), "error: a tar archive"},
    };
    struct ot_str log = {0};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t piece_len = 1; piece_len <= rows[i].len; piece_len++) {
            ot_str_clear(&log);
            int code = tell_trace(&log, rows[i].bytes, rows[i].len, piece_len, &recover);
            assert_int_equal(code, OT_ERR_INPUT);
            if (strncmp(ot_str_borrow(&log), rows[i].part, strlen(rows[i].part)) != 0)
                fail_msg("'%s' does not begin: %s", rows[i].part, ot_str_borrow(&log));
        }
    }
    const struct ot_kineto_trace_opts packed = {.is_packed = true};
    ot_str_clear(&log);
    tell_trace(&log, tar, sizeof(tar), sizeof(tar), &packed);
    assert_non_null(strstr(ot_str_borrow(&log), "error: a packed tar archive"));
    ot_str_release(&log);
}

static void white_space_before_the_text_may_be_long(void **state)
{
    (void)state;
    struct ot_str json = {0};
    struct ot_str log = {0};
    repeat(&json, " \r\n\t", 5000);
    ot_str_addf(&json, "[]");
    assert_int_equal(tell_trace(&log, json.bytes, json.len, 64, &strict), OT_END);
    assert_int_equal(tell_trace(&log, json.bytes, json.len - 2, 64, &strict), OT_ERR_INPUT);
    assert_string_equal(ot_str_borrow(&log), "error: there is nothing in it\n");
    ot_str_release(&json);
    ot_str_release(&log);
}

/* --- limits --------------------------------------------------------------------------------- */

static void assert_nested(size_t n, bool in_event, bool is_allowed)
{
    struct ot_str json = {0};
    struct ot_str log = {0};
    /* Around the value: the file's brace; and the list, the event, and args. */
    ot_str_addf(&json, "%s", in_event ? "{\"traceEvents\":[{\"args\":{\"x\":" : "{\"x\":");
    repeat(&json, "[", n);
    repeat(&json, "]", n);
    ot_str_addf(&json, "%s", in_event ? "},\"ph\":\"M\"}]}" : ",\"traceEvents\":[{\"ph\":\"M\"}]}");
    tell_trace(&log, json.bytes, json.len, 1000, &strict);
    if (is_allowed)
        assert_string_equal(ot_str_borrow(&log), "other 0\n");
    else
        assert_non_null(strstr(ot_str_borrow(&log), "more than 1024 brackets inside each other"));
    ot_str_release(&json);
    ot_str_release(&log);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    assert_nested(1023, false, true);
    assert_nested(1024, false, false);
    assert_nested(1020, true, true);
    assert_nested(1021, true, false);
    assert_nested(1000000, true, false);
}

/* Says the head once, then the filler again and again, then the tail. */
struct flood {
    const char *head;
    const char *tail;
    unsigned char *block;
    size_t n_left;
};

enum { FLOOD_PIECE = 1024 * 1024 };

static int next_flood(void *source, unsigned char **ret_bytes, size_t *ret_len, struct ot_err *err)
{
    (void)err;
    struct flood *flood = source;
    const char *text = flood->head ? flood->head : flood->n_left ? NULL : flood->tail;
    size_t len = text ? strlen(text) : FLOOD_PIECE;
    if (!flood->head && !flood->n_left && !flood->tail)
        return OT_END;
    unsigned char *at = flood->block + OT_SOURCE_HEADROOM;
    memset(at, 'y', FLOOD_PIECE);
    if (text)
        memcpy(at, text, len);
    memset(at + len, 0, OT_SOURCE_PADDING);
    if (flood->head)
        flood->head = NULL;
    else if (flood->n_left)
        flood->n_left--;
    else
        flood->tail = NULL;
    *ret_bytes = at;
    *ret_len = len;
    return OT_OK;
}

static void tell_flood(struct ot_str *log, const char *head, size_t n, const char *tail,
                       const struct ot_kineto_trace_opts *opts)
{
    struct flood flood = {head, tail, NULL, n};
    flood.block = malloc(OT_SOURCE_HEADROOM + FLOOD_PIECE + OT_SOURCE_PADDING);
    assert_non_null(flood.block);
    struct ot_kineto_chunks chunks = {next_flood, &flood};
    struct ot_kineto_trace *trace = ot_kineto_trace_new(&chunks, opts);
    struct ot_event event;
    struct ot_err err;
    int code;
    while ((code = ot_kineto_trace_next(trace, &event, &err)) == OT_OK)
        ot_str_addf(log, "%zu;", event.name.len);
    if (code < 0)
        ot_str_addf(log, "%s", err.msg);
    else
        tell_whole(log, trace);
    ot_kineto_trace_free(trace);
    free(flood.block);
}

static void a_long_name_is_read_and_an_endless_one_is_an_error(void **state)
{
    (void)state;
    struct ot_str log = {0};
    const char *head = "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"";
    tell_flood(&log, head, 20, "\"}]", &strict);
    assert_non_null(strstr(ot_str_borrow(&log), "20971520;"));
    ot_str_clear(&log);
    tell_flood(&log, head, 2000, "\"}]", &strict);
    assert_non_null(strstr(ot_str_borrow(&log), "event 1 (byte "));
    assert_non_null(strstr(ot_str_borrow(&log), "more than 64 MiB in one piece"));
    ot_str_clear(&log);
    tell_flood(&log, head, 200, "\"},{\"ph\":\"M\",\"name\":\"b\"}]", &recover);
    assert_non_null(strstr(ot_str_borrow(&log), "0;damaged 1\n"));
    ot_str_release(&log);
}

static void a_header_of_any_size_is_skipped(void **state)
{
    (void)state;
    struct ot_str log = {0};
    tell_flood(&log, "{\"a\":[\"", 40, "\",1],\"traceEvents\":[{\"ph\":\"M\"}]}", &strict);
    assert_string_equal(ot_str_borrow(&log), "0;");
    ot_str_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_damaged_event_is_named_or_skipped),
        cmocka_unit_test(what_is_wrong_between_events_costs_none_of_them),
        cmocka_unit_test(braces_and_brackets_in_names_and_args_are_no_events),
        cmocka_unit_test(behind_the_last_damaged_event_the_rest_is_read),
        cmocka_unit_test(a_damaged_head_costs_no_event),
        cmocka_unit_test(a_damaged_tail_costs_no_event),
        cmocka_unit_test(values_inside_of_a_damaged_event_are_no_events),
        cmocka_unit_test(a_bracket_too_many_costs_no_event),
        cmocka_unit_test(a_cut_trace_says_how_much_was_read),
        cmocka_unit_test(a_cut_behind_a_damaged_event_is_both),
        cmocka_unit_test(recovering_nothing_is_an_error_all_the_same),
        cmocka_unit_test(damaged_packing_says_so_and_keeps_what_was_whole),
        cmocka_unit_test(a_stream_of_something_else_is_told_what_it_seems_to_be),
        cmocka_unit_test(white_space_before_the_text_may_be_long),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(a_long_name_is_read_and_an_endless_one_is_an_error),
        cmocka_unit_test(a_header_of_any_size_is_skipped),
    };
    return RUN(tests);
}
