#include "test.h"

#include <string.h>

#include "base/str.h"

static void an_untouched_string_is_empty(void **state)
{
    (void)state;
    struct ot_str str = {0};
    assert_string_equal(ot_str_borrow(&str), "");
    ot_str_clear(&str);
    ot_str_release(&str);
    ot_str_release(NULL);
}

static void it_grows_over_many_additions(void **state)
{
    (void)state;
    struct ot_str str = {0};
    for (int i = 0; i < 1000; i++)
        ot_str_addf(&str, "%d,", i % 10);
    assert_int_equal(str.len, 2000);
    assert_int_equal(strlen(ot_str_borrow(&str)), 2000);
    assert_false(str.failed);
    ot_str_release(&str);
}

static void it_holds_nul_bytes(void **state)
{
    (void)state;
    struct ot_str str = {0};
    ot_str_add(&str, "a\0b", 3);
    ot_str_add_text(&str, ot_text_of("c"));
    assert_int_equal(str.len, 4);
    assert_memory_equal(str.bytes, "a\0bc", 5);
    ot_str_release(&str);
}

static void failure_sticks_and_stops_additions(void **state)
{
    (void)state;
    struct ot_str str = {0};
    ot_str_addf(&str, "kept");
    ot_str_add(&str, "", SIZE_MAX / 2);
    assert_true(str.failed);
    ot_str_addf(&str, "not added");
    assert_string_equal(ot_str_borrow(&str), "kept");
    ot_str_release(&str);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_untouched_string_is_empty),
        cmocka_unit_test(it_grows_over_many_additions),
        cmocka_unit_test(it_holds_nul_bytes),
        cmocka_unit_test(failure_sticks_and_stops_additions),
    };
    return RUN(tests);
}
