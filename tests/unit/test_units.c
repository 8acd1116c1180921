#include "test.h"

#include <locale.h>

#include "base/units.h"

static void whole_nanoseconds_stay_whole_and_larger_units_have_two_decimals(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } rows[] = {
        {0, "0ns"},
        {847, "847ns"},
        {999, "999ns"},
        {1000, "1.00us"},
        {1120000, "1.12ms"},
        {999999, "1000.00us"},
        {1000000000, "1.00s"},
        {59990000000, "59.99s"},
        {60000000000, "1.00min"},
        {3600000000000, "1.00h"},
        {INT64_MAX, "2562047.79h"},
        {UINT64_MAX, "5124095.58h"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[OT_UNITS_BYTES];
        ot_units_ns(text, rows[i].ns);
        assert_string_equal(text, rows[i].text);
    }
}

static void a_mean_has_decimals_where_it_is_a_fraction(void **state)
{
    (void)state;
    static const struct {
        uint64_t sum;
        uint64_t count;
        bool always;
        const char *text;
    } rows[] = {
        {365, 2, false, "182.50ns"}, {100, 2, false, "50ns"}, {100, 2, true, "50.00ns"},
        {1, 3, false, "0.33ns"},     {0, 5, false, "0ns"},    {5000, 2, true, "2.50us"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[OT_UNITS_BYTES];
        ot_units_mean_ns(text, rows[i].sum, rows[i].count, rows[i].always);
        assert_string_equal(text, rows[i].text);
    }
}

static void percent_has_two_decimals(void **state)
{
    (void)state;
    char text[OT_UNITS_BYTES];
    ot_units_percent(text, 46, 100);
    assert_string_equal(text, "46.00%");
    ot_units_percent(text, 1, 3);
    assert_string_equal(text, "33.33%");
    ot_units_percent(text, 0, 1);
    assert_string_equal(text, "0.00%");
}

static void the_locale_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    char text[OT_UNITS_BYTES];
    ot_units_ns(text, 1120000);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "1.12ms");
}

static void no_decimals_means_no_point(void **state)
{
    (void)state;
    char text[OT_UNITS_BYTES];
    ot_units_fixed(text, 12.0, 0);
    assert_string_equal(text, "12");
    ot_units_fixed(text, -0.125, 3);
    assert_string_equal(text, "-0.125");
}

static void sizes_have_units_of_1024(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0B"},
        {1023, "1023B"},
        {1024, "1.00KiB"},
        {1572864, "1.50MiB"},
        {UINT64_C(1) << 30, "1.00GiB"},
        {UINT64_MAX, "16777216.00TiB"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[OT_UNITS_BYTES];
        ot_units_bytes(text, rows[i].bytes);
        assert_string_equal(text, rows[i].text);
    }
}

static void counts_have_groups_of_three_digits(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        const char *text;
    } rows[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {121343, "121,343"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[OT_UNITS_BYTES];
        ot_units_count(text, rows[i].n);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_nanoseconds_stay_whole_and_larger_units_have_two_decimals),
        cmocka_unit_test(a_mean_has_decimals_where_it_is_a_fraction),
        cmocka_unit_test(percent_has_two_decimals),
        cmocka_unit_test(sizes_have_units_of_1024),
        cmocka_unit_test(counts_have_groups_of_three_digits),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(no_decimals_means_no_point),
    };
    return RUN(tests);
}
