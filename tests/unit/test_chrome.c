#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/chrome/events.h"
#include "emit/chrome/mend.h"
#include "emit/chrome/writer.h"
#include "model/backend.h"

#define FFFD "\xef\xbf\xbd"

/* --- mending ---------------------------------------------------------------------------------- */

static void assert_mended(struct ot_text json, const char *expected, uint64_t n_replaced)
{
    char *written = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&written, &len);
    uint64_t n = ot_chrome_write_mended(json, out);
    fclose(out);
    assert_string_equal(written, expected);
    assert_int_equal(n, n_replaced);
    free(written);
}

static void what_is_valid_stays_byte_for_byte(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{ \"a\" :\t[1e5, -0, true],\r\n \"b\": {}}",
        "\"\\\"\\\\\\/\\b\\u00e9\\ud83d\\ude00 \xc3\xa9 \xf0\x9f\x98\x80 \x7f\"",
        "\"ends with a backslash \\\\\", \"\\\\\\\"\"",
        "\"" FFFD " \\ufffd\"",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_mended(ot_text_of(texts[i]), texts[i], 0);
}

static void what_is_no_text_is_replaced_inside_strings(void **state)
{
    (void)state;
    assert_mended(ot_text_of("{\"a\xff\": \"\tb\x01\", \"c\": \"\xc3\"}"),
                  "{\"a" FFFD "\": \"" FFFD "b" FFFD "\", \"c\": \"" FFFD "\"}", 4);
    assert_mended((struct ot_text){"\"a\0b\"", 5}, "\"a" FFFD "b\"", 1);
    assert_mended(ot_text_of("\"\xed\xa0\x80\""), "\"" FFFD FFFD FFFD "\"", 3);
}

static void halves_of_surrogate_pairs_are_replaced(void **state)
{
    (void)state;
    assert_mended(ot_text_of("\"\\ud83d\""), "\"\\ufffd\"", 1);
    assert_mended(ot_text_of("\"\\ude00\\ud83dx\""), "\"\\ufffd\\ufffdx\"", 2);
    assert_mended(ot_text_of("\"\\ud83d\\ud83d\\ude00\""), "\"\\ufffd\\ud83d\\ude00\"", 1);
    assert_mended(ot_text_of("\"\\\\ud83d\""), "\"\\\\ud83d\"", 0);
}

/* --- lists that recordings tell -----------------------------------------------------------------
 */

static void lists_of_sizes_and_of_types_are_copied(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "[]",     "[[64, 3], []]", " [ [ ] , [-1,0] ] ", "[\"float\", \"\", \"a\\\"b\\\\\"]",
        "[[[]]]", "[1]",
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!ot_chrome_is_list(ot_text_of(lists[i])))
            fail_msg("%s is refused", lists[i]);
    }
}

static void what_is_no_list_is_not_copied(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "[",
        "]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1]]",
        "[] []",
        "1",
        "\"a\"",
        "{}",
        "[{}]",
        "[01]",
        "[-]",
        "[1.5]",
        "[\"a]",
        "[\"\\",
        "[\"\\x\"]",
        "[\"\n\"]",
        "[\"\xff\"]",
        "[\"\\u12\"]",
        "[a]",
        "[1],\"x\":[1]",
        "[[1}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (ot_chrome_is_list(ot_text_of(texts[i])))
            fail_msg("%s is taken for a list", texts[i]);
    }
    char deep[512];
    memset(deep, '[', 256);
    memset(deep + 256, ']', 256);
    assert_false(ot_chrome_is_list((struct ot_text){deep, sizeof(deep)}));
}

/* --- events -------------------------------------------------------------------------------------
 */

static void assert_line(struct ot_str *line, const char *expected)
{
    char *text = strdup(ot_str_borrow(line));
    for (char *at = text; *at; at++)
        *at = (char)(*at == '"' ? '\'' : *at);
    assert_string_equal(text, expected);
    free(text);
    ot_str_release(line);
}

static const struct ot_chrome_place place = {.vpid = 7, .vtid = 8, .base_ns = 1000000};

static void a_call_has_its_times_to_the_nanosecond(void **state)
{
    (void)state;
    struct ot_str line = {0};
    ot_chrome_add_call(&line, &place, "cpu_op", ot_text_of("aten::add"), 1001234, 56007,
                       ot_text_of(""));
    assert_line(&line, "{'ph':'X','cat':'cpu_op','name':'aten::add','pid':7,'tid':8,'ts':1.234,"
                       "'dur':56.007}");
    ot_chrome_add_call(&line, &place, "cpu_op", ot_text_of("a"), 999999, 0, ot_text_of(""));
    assert_line(&line, "{'ph':'X','cat':'cpu_op','name':'a','pid':7,'tid':8,'ts':-0.001,"
                       "'dur':0.000}");
}

static void a_call_without_an_end_begins(void **state)
{
    (void)state;
    struct ot_str line = {0};
    ot_chrome_add_call(&line, &place, "cpu_op", ot_text_of("a"), 1000000, -1, ot_text_of("'x':1"));
    assert_line(&line, "{'ph':'B','cat':'cpu_op','name':'a','pid':7,'tid':8,'ts':0.000,"
                       "'args':{'x':1}}");
}

static void names_and_hosts_may_be_any_bytes(void **state)
{
    (void)state;
    struct ot_str line = {0};
    struct ot_chrome_place far = place;
    far.host = ot_text_of("h\\\xff");
    ot_chrome_add_call(&line, &far, "cpu_op", ot_text_of("\"\n\x7f\xc3\xa9\xc3"), 1000000, 1,
                       ot_text_of(""));
    assert_line(&line, "{'ph':'X','cat':'cpu_op','name':'\\'\\u000a\\u007f\xc3\xa9" FFFD
                       "','pid':'7@h\\\\" FFFD "','tid':8,'ts':0.000,'dur':0.001}");
}

static void arguments_are_those_that_torch_profiler_writes(void **state)
{
    (void)state;
    struct ot_str line = {0};
    struct ot_event_args args = {.has_sequence = true,
                                 .sequence = 5,
                                 .forward_thread = 9,
                                 .shapes = ot_text_of("[[64, 3], []]"),
                                 .types = ot_text_of("[\"float\"")};
    ot_chrome_add_args(&line, &args);
    assert_line(&line, "'Sequence number':5,'Fwd thread id':9,'Input Dims':[[64, 3], []],"
                       "'Input type':'[\\'float\\''");
    ot_chrome_add_args(&line, NULL);
    assert_line(&line, "");
    args = (struct ot_event_args){.has_sequence = true, .sequence = 5, .forward_thread = -1};
    ot_chrome_add_args(&line, &args);
    assert_line(&line, "'Sequence number':5");
}

static void an_allocation_says_what_is_known_of_it(void **state)
{
    (void)state;
    struct ot_str line = {0};
    struct ot_event_args args = {.bytes = -512,
                                 .has_total_allocated = true,
                                 .total_allocated = 1024,
                                 .has_device_type = true,
                                 .device_type = 1,
                                 .has_device_id = true,
                                 .device_id = -1};
    ot_chrome_add_memory(&line, &place, 1000500, &args);
    assert_line(&line,
                "{'ph':'i','cat':'cpu_instant_event','s':'t','name':'[memory]','pid':7,'tid':8,"
                "'ts':0.500,'args':{'Total Allocated':1024,'Bytes':-512,'Device Id':-1,"
                "'Device Type':1}}");
}

static void a_label_is_metadata(void **state)
{
    (void)state;
    struct ot_str line = {0};
    struct ot_event_args args = {.label_kind = OT_LABEL_THREAD, .label = ot_text_of("x\"y")};
    ot_chrome_add_label(&line, &place, &args);
    assert_line(&line, "{'ph':'M','name':'thread_name','pid':7,'tid':8,'args':{'name':'x\\'y'}}");
    args.label_kind = OT_LABEL_THREAD_ORDER;
    ot_chrome_add_label(&line, &place, &args);
    assert_line(&line, "");
}

static void categories_are_those_of_torch_profiler(void **state)
{
    (void)state;
    assert_string_equal(ot_chrome_category(OT_BACKEND_PYTORCH), "cpu_op");
    assert_string_equal(ot_chrome_category(OT_BACKEND_ANNOTATION), "user_annotation");
    assert_string_equal(ot_chrome_category(7), "mpi");
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static char *written;
static size_t written_len;

static struct ot_chrome_writer begin(void)
{
    return (struct ot_chrome_writer){.out = open_memstream(&written, &written_len)};
}

static void assert_written(struct ot_chrome_writer *writer, const char *expected)
{
    ot_chrome_finish(writer);
    fclose(writer->out);
    ot_chrome_release(writer);
    assert_string_equal(written, expected);
    free(written);
}

static void a_trace_of_nothing_is_one(void **state)
{
    (void)state;
    struct ot_chrome_writer writer = begin();
    assert_written(&writer, "{\n\"traceEvents\": [\n]\n}\n");
}

static void members_stand_before_and_behind_the_events(void **state)
{
    (void)state;
    struct ot_chrome_writer writer = begin();
    struct ot_err err;
    assert_int_equal(ot_chrome_add_member(&writer, ot_text_of("\"a\": 1"), &err), OT_OK);
    assert_int_equal(ot_chrome_add_member(&writer, ot_text_of("\"b\": \"\x01\""), &err), OT_OK);
    ot_chrome_add_event(&writer, ot_text_of("{\"x\":\"\xff\"}"));
    assert_int_equal(ot_chrome_add_member(&writer, ot_text_of("\"c\": \"\xff\""), &err), OT_OK);
    ot_chrome_put_event(&writer, ot_text_of("{}"));
    assert_int_equal(writer.n_events, 2);
    assert_written(&writer, "{\n\"a\": 1,\n\"b\": \"" FFFD "\",\n\"traceEvents\": [\n{\"x\":\"" FFFD
                            "\"},\n{}\n],\n\"c\": \"" FFFD "\"\n}\n");
    assert_int_equal(writer.n_replaced, 3);
}

static void members_alone_are_a_trace_without_events(void **state)
{
    (void)state;
    struct ot_chrome_writer writer = begin();
    struct ot_err err;
    assert_int_equal(ot_chrome_add_member(&writer, ot_text_of("\"a\": 1"), &err), OT_OK);
    assert_written(&writer, "{\n\"a\": 1,\n\"traceEvents\": [\n]\n}\n");
}

static void what_is_kept_for_behind_the_events_has_a_limit(void **state)
{
    (void)state;
    struct ot_chrome_writer writer = begin();
    struct ot_err err;
    size_t len = OT_CHROME_TAIL_MAX_BYTES / 2;
    char *member = malloc(len);
    memset(member, ' ', len);
    ot_chrome_put_event(&writer, ot_text_of("{}"));
    assert_int_equal(ot_chrome_add_member(&writer, (struct ot_text){member, len}, &err), OT_OK);
    assert_int_equal(ot_chrome_add_member(&writer, (struct ot_text){member, len}, &err),
                     OT_ERR_NOMEM);
    assert_string_equal(err.msg, "more than 64 MiB behind the events");
    free(member);
    fclose(writer.out);
    ot_chrome_release(&writer);
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_valid_stays_byte_for_byte),
        cmocka_unit_test(what_is_no_text_is_replaced_inside_strings),
        cmocka_unit_test(halves_of_surrogate_pairs_are_replaced),
        cmocka_unit_test(lists_of_sizes_and_of_types_are_copied),
        cmocka_unit_test(what_is_no_list_is_not_copied),
        cmocka_unit_test(a_call_has_its_times_to_the_nanosecond),
        cmocka_unit_test(a_call_without_an_end_begins),
        cmocka_unit_test(names_and_hosts_may_be_any_bytes),
        cmocka_unit_test(arguments_are_those_that_torch_profiler_writes),
        cmocka_unit_test(an_allocation_says_what_is_known_of_it),
        cmocka_unit_test(a_label_is_metadata),
        cmocka_unit_test(categories_are_those_of_torch_profiler),
        cmocka_unit_test(a_trace_of_nothing_is_one),
        cmocka_unit_test(members_stand_before_and_behind_the_events),
        cmocka_unit_test(members_alone_are_a_trace_without_events),
        cmocka_unit_test(what_is_kept_for_behind_the_events_has_a_limit),
    };
    return RUN(tests);
}
