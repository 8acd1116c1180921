#include "test.h"

#include <stdlib.h>

#include "emit/json/json.h"

static char *written;
static size_t written_len;

static struct ot_json begin(void)
{
    return (struct ot_json){.out = open_memstream(&written, &written_len)};
}

static void assert_written(struct ot_json *json, const char *expected)
{
    fclose(json->out);
    assert_string_equal(written, expected);
    free(written);
}

static void commas_stand_between_and_nowhere_else(void **state)
{
    (void)state;
    struct ot_json json = begin();
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "a", ot_text_of("x"));
    ot_json_key(&json, ot_text_of("b"));
    ot_json_begin_array(&json);
    ot_json_unsigned(&json, UINT64_MAX);
    ot_json_signed(&json, INT64_MIN);
    ot_json_begin_object(&json);
    ot_json_end_object(&json);
    ot_json_null(&json);
    ot_json_end_array(&json);
    ot_json_key(&json, ot_text_of("c"));
    ot_json_bool(&json, true);
    ot_json_end_object(&json);
    assert_written(&json, "{\"a\":\"x\",\"b\":[18446744073709551615,-9223372036854775808,{},null],"
                          "\"c\":true}");
}

static void strings_are_always_valid(void **state)
{
    (void)state;
    static const struct {
        struct ot_text text;
        const char *json;
    } rows[] = {
        {{"", 0}, "\"\""},
        {{"a\"b\\c", 5}, "\"a\\\"b\\\\c\""},
        {{"\n\x1f\0\x7f", 4}, "\"\\u000a\\u001f\\u0000\\u007f\""},
        {{"\xc3\xa9", 2}, "\"\xc3\xa9\""},
        {{"\xff\xc3", 2}, "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {{"/", 1}, "\"/\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_json json = begin();
        ot_json_text(&json, rows[i].text);
        assert_written(&json, rows[i].json);
    }
}

static void a_mean_of_nothing_is_null(void **state)
{
    (void)state;
    struct ot_json json = begin();
    ot_json_begin_object(&json);
    ot_json_put_mean(&json, "none", 0, 0);
    ot_json_put_mean(&json, "whole", 10, 5);
    ot_json_put_mean(&json, "third", 1, 3);
    ot_json_end_object(&json);
    assert_written(&json, "{\"none\":null,\"whole\":2,\"third\":0.333}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_and_nowhere_else),
        cmocka_unit_test(strings_are_always_valid),
        cmocka_unit_test(a_mean_of_nothing_is_null),
    };
    return RUN(tests);
}
