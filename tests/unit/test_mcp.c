#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/exact.h"
#include "mcp/lines.h"
#include "mcp/message.h"
#include "mcp/page.h"
#include "mcp/schema.h"
#include "mcp/tools.h"

/* --- lines -------------------------------------------------------------------------------------
 */

static void lines_are_found_however_they_are_cut(void **state)
{
    (void)state;
    static const char text[] = "one\n\ntwo three\nrest";
    for (size_t step = 1; step < sizeof(text); step++) {
        struct ot_mcp_lines lines = {0};
        struct ot_str seen = {0};
        for (size_t at = 0; at < sizeof(text) - 1; at += step) {
            size_t len = sizeof(text) - 1 - at < step ? sizeof(text) - 1 - at : step;
            assert_int_equal(ot_mcp_lines_add(&lines, (struct ot_text){text + at, len}, NULL), 0);
            struct ot_text line;
            bool is_too_long;
            while (ot_mcp_lines_next(&lines, &line, &is_too_long)) {
                assert_false(is_too_long);
                ot_str_add_text(&seen, line);
                ot_str_add(&seen, "|", 1);
            }
        }
        assert_string_equal(ot_str_borrow(&seen), "one||two three|");
        ot_str_release(&seen);
        ot_mcp_lines_release(&lines);
    }
}

static void a_line_that_is_too_long_costs_no_memory(void **state)
{
    (void)state;
    enum { PIECE_BYTES = 1 << 20 };
    char *piece = malloc(PIECE_BYTES);
    assert_non_null(piece);
    memset(piece, 'a', PIECE_BYTES);
    struct ot_mcp_lines lines = {0};
    struct ot_text line;
    bool is_too_long = false;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ot_mcp_lines_add(&lines, (struct ot_text){piece, PIECE_BYTES}, NULL), 0);
        assert_false(ot_mcp_lines_next(&lines, &line, &is_too_long));
    }
    assert_true(lines.cap < 3 * (size_t)OT_MCP_LINE_BYTES);
    assert_int_equal(ot_mcp_lines_add(&lines, ot_text_of("\nnext\n"), NULL), 0);
    assert_true(ot_mcp_lines_next(&lines, &line, &is_too_long));
    assert_true(is_too_long);
    assert_true(ot_mcp_lines_next(&lines, &line, &is_too_long));
    assert_false(is_too_long);
    assert_true(ot_text_same(line, ot_text_of("next")));
    ot_mcp_lines_release(&lines);
    free(piece);
}

/* --- numbers -----------------------------------------------------------------------------------
 */

static const char *const texts[] = {
    "{\"a\":[1,-1,0,123456789012345678],\"b\":true,\"c\":false,\"d\":null}",
    "[9223372036854775807,-9223372036854775808,-0,-0.0,1.0,0.1,1e300,-2.50,1E-7,"
    "9223372036854775808,-170141183460469231731687303715884105728]",
    "[\"\\u0001\",\"\\u00011\",\"\\u0001\\u00012\",\"a\\\"1.5\\\\\"]",
    "{\"\\u0001k\":1.50,\"1.5\":\"1.5\"}",
    "[]",
    "3.14159265358979323846",
};

static void numbers_and_marks_come_back_byte_for_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct ot_str held = {0};
        struct ot_str exact = {0};
        ot_mcp_exact_hold(&held, ot_text_of(texts[i]));
        json_t *value = json_loads(ot_str_borrow(&held), JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        ot_mcp_exact_release(&exact, ot_text_of(text));
        assert_string_equal(ot_str_borrow(&exact), texts[i]);
        free(text);
        json_decref(value);
        ot_str_release(&held);
        ot_str_release(&exact);
    }
}

static void text_that_is_no_json_stays_so(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "",      "\"",       "\"\\", "-",   "[1",  "{\"a\":\"\\u0001",
        "1.5.5", "1-+.e..5", "00",   "-01", "1.",  ".5",
        "1e",    "1e+",      "1.e5", "+1",  "--1", "1e5.0",
        "-e1"};
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        struct ot_str held = {0};
        ot_mcp_exact_hold(&held, ot_text_of(broken[i]));
        assert_false(held.failed);
        assert_null(json_loadb(ot_str_borrow(&held), held.len, JSON_DECODE_ANY, NULL));
        ot_str_release(&held);
    }
}

static void an_id_is_a_string_or_an_integer(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum ot_mcp_kind kind;
    } ids[] = {
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":-7}", OT_MCP_REQUEST},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":98765432109876543210}", OT_MCP_REQUEST},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"1.5\"}", OT_MCP_REQUEST},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"\\u00011.5\"}", OT_MCP_REQUEST},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1.5}", OT_MCP_WRONG},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1.0}", OT_MCP_WRONG},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1e400}", OT_MCP_WRONG},
        {"{\"jsonrpc\":\"2.0\",\"method\":1.5,\"id\":1}", OT_MCP_WRONG},
    };
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        struct ot_mcp_message message;
        ot_mcp_message_parse(ot_text_of(ids[i].line), &message);
        assert_int_equal(message.kind, ids[i].kind);
        ot_mcp_message_release(&message);
    }
}

/* --- schemas -----------------------------------------------------------------------------------
 */

static const struct {
    const char *schema;
    const char *value;
    const char *fault; /* NULL: none */
} checks[] = {
    {"{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}", "2", NULL},
    {"{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}", "0", "it has to be at least 1"},
    {"{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}", "4", "it has to be at most 3"},
    {"{\"type\":\"integer\"}", "\"2\"", "it has to be an integer of 64 bits"},
    {"{\"type\":\"integer\"}", "true", "it has to be an integer of 64 bits"},
    {"{\"type\":\"string\",\"maxLength\":2}", "\"\xc3\xa4\xc3\xa4\"", NULL},
    {"{\"type\":\"string\",\"maxLength\":2}", "\"abc\"", "it has to be at most 2 characters long"},
    {"{\"type\":\"string\"}", "\"a\\u0000\"", "it must not have the character U+0000"},
    {"{\"type\":\"string\"}", "\"\\u0001\\u0001a\"", "it must not begin with the character U+0001"},
    {"{\"type\":\"string\"}", "\"\\u00011.5\"", "it has to be a string"},
    {"{\"type\":\"boolean\"}", "false", NULL},
    {"{\"type\":\"boolean\"}", "0", "it has to be true or false"},
    {"{\"enum\":[\"a\",\"b\"]}", "\"c\"", "it has to be one of: a, b"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1}", "[]",
     "it has to be at least 1 items long"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "[\"a\",1]",
     "it[1] has to be a string"},
    {"{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}", "{\"x\":1}",
     "it has no \"x\""},
    {"{\"type\":\"object\",\"required\":[\"x\"]}", "{}", "it must have \"x\""},
    {"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}", "{\"x\":1}",
     "\"x\" has to be a string"},
    {"{\"type\":\"object\",\"maxProperties\":1}", "{\"x\":1,\"y\":1}",
     "it has to be at most 1 members large"},
    {"{\"type\":\"object\",\"propertyNames\":{\"maxLength\":1}}", "{\"xx\":1}",
     "a name in it has to be at most 1 characters long"},
};

static void values_are_held_to_their_schema(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        json_t *schema = json_loads(checks[i].schema, 0, NULL);
        json_t *value = json_loads(checks[i].value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        struct ot_err err = {0};
        assert_true(schema && value);
        int code = ot_mcp_schema_check(schema, value, "it", &err);
        assert_int_equal(code, checks[i].fault ? OT_ERR_USAGE : OT_OK);
        if (checks[i].fault)
            assert_string_equal(err.msg, checks[i].fault);
        json_decref(schema);
        json_decref(value);
    }
}

/* --- tools and their answers -------------------------------------------------------------------
 */

static void each_parameter_is_one_that_the_schema_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < ot_mcp_n_tools; i++) {
        json_t *tool = ot_mcp_tool_describe(&ot_mcp_tools[i]);
        const json_t *properties =
            json_object_get(json_object_get(tool, "inputSchema"), "properties");
        assert_non_null(properties);
        for (size_t k = 0; k < OT_MCP_MAX_PARAMS && ot_mcp_tools[i].params[k].name; k++)
            assert_non_null(json_object_get(properties, ot_mcp_tools[i].params[k].name));
        json_decref(tool);
    }
}

static json_t *list_of(int n, int total)
{
    json_t *rows = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(rows, json_integer(i));
    return json_pack("{s:i, s:i, s:b, s:o}", "total", total, "returned", n, "truncated", n < total,
                     "rows", rows);
}

static void a_page_says_where_the_rest_is(void **state)
{
    (void)state;
    json_t *arguments = json_pack("{s:i, s:i}", "limit", 3, "offset", 2);
    json_t *result =
        json_pack("{s:o, s:o}", "operators", list_of(5, 9), "repeated_small", list_of(4, 4));
    struct ot_mcp_answer answer = {
        .tool = ot_mcp_tool_find("analyze_pytorch"),
        .arguments = arguments,
        .commit = "abcd",
        .result = result,
    };
    ot_mcp_page_take(&answer);
    const json_t *list = json_object_get(result, "operators");
    assert_int_equal(json_array_size(json_object_get(list, "rows")), 3);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(list, "rows"), 0)), 2);
    assert_int_equal(json_integer_value(json_object_get(list, "total")), 9);
    json_t *page = ot_mcp_page_describe(&answer, false);
    const json_t *next = json_object_get(json_object_get(page, "next"), "arguments");
    assert_true(json_is_true(json_object_get(page, "truncated")));
    assert_int_equal(json_integer_value(json_object_get(page, "total")), 9);
    assert_int_equal(json_integer_value(json_object_get(next, "offset")), 5);
    assert_string_equal(json_string_value(json_object_get(next, "commit")), "abcd");
    json_decref(page);
    json_decref(result);
    json_decref(arguments);
}

static void a_page_of_sql_says_what_its_order_is(void **state)
{
    (void)state;
    json_t *arguments = json_pack("{s:s, s:i}", "sql", "FROM x", "limit", 3);
    json_t *result = list_of(3, 9);
    struct ot_mcp_answer answer = {
        .tool = ot_mcp_tool_find("query_sql"),
        .arguments = arguments,
        .commit = "",
        .result = result,
    };
    json_t *page = ot_mcp_page_describe(&answer, false);
    assert_non_null(strstr(json_string_value(json_object_get(page, "how")), "ORDER BY"));
    json_decref(page);
    json_decref(result);
    json_decref(arguments);
}

static void an_answer_shrinks_to_nothing_and_keeps_its_totals(void **state)
{
    (void)state;
    json_t *arguments = json_pack("{s:i, s:i}", "limit", 1000, "offset", 0);
    json_t *result =
        json_pack("{s:o, s:o}", "operators", list_of(700, 700), "repeated_small", list_of(40, 50));
    struct ot_mcp_answer answer = {
        .tool = ot_mcp_tool_find("analyze_pytorch"),
        .arguments = arguments,
        .commit = "",
        .result = result,
    };
    ot_mcp_page_take(&answer);
    int n = 0;
    while (ot_mcp_page_shrink(&answer, 1000, 999))
        assert_true(++n < 1000);
    const json_t *list = json_object_get(result, "operators");
    assert_int_equal(json_array_size(json_object_get(list, "rows")), 1);
    assert_int_equal(json_integer_value(json_object_get(list, "returned")), 1);
    assert_true(json_is_true(json_object_get(list, "truncated")));
    list = json_object_get(result, "repeated_small");
    assert_int_equal(json_array_size(json_object_get(list, "rows")), 0);
    assert_int_equal(json_integer_value(json_object_get(list, "total")), 50);
    json_decref(result);
    json_decref(arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_found_however_they_are_cut),
        cmocka_unit_test(a_line_that_is_too_long_costs_no_memory),
        cmocka_unit_test(numbers_and_marks_come_back_byte_for_byte),
        cmocka_unit_test(text_that_is_no_json_stays_so),
        cmocka_unit_test(an_id_is_a_string_or_an_integer),
        cmocka_unit_test(values_are_held_to_their_schema),
        cmocka_unit_test(each_parameter_is_one_that_the_schema_has),
        cmocka_unit_test(a_page_says_where_the_rest_is),
        cmocka_unit_test(a_page_of_sql_says_what_its_order_is),
        cmocka_unit_test(an_answer_shrinks_to_nothing_and_keeps_its_totals),
    };
    return RUN(tests);
}
