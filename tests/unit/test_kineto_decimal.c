#include "test.h"

#include <stdio.h>

#include "ingest/kineto/decimal.h"

/* With the bytes behind it that reading it may touch. */
static struct ot_text padded(const char *text)
{
    static char bytes[256];
    memset(bytes, 'x', sizeof(bytes));
    memcpy(bytes, text, strlen(text));
    return (struct ot_text){bytes, strlen(text)};
}

static void assert_ns(const char *text, int64_t expected, enum ot_decimal code)
{
    int64_t value = 0;
    assert_int_equal(ot_decimal_scaled(padded(text), 3, &value), code);
    if (code != OT_DECIMAL_OVERFLOW)
        assert_int_equal(value, expected);
}

static void microseconds_become_exact_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"0.000", 0},
        {"1", 1000},
        {"9", 9000},
        {"12345678", 12345678000},
        {"123456789", 123456789000},
        {"1.5", 1500},
        {"1.25", 1250},
        {"1.125", 1125},
        {"0.001", 1},
        {"-0.001", -1},
        {"-12.5", -12500},
        {"1649284800123456.789", 1649284800123456789},
        {"1712195495519689.047", 1712195495519689047},
        {"3605057436125.863", 3605057436125863},
        {"9223372036854775.807", INT64_MAX},
        {"-9223372036854775.808", INT64_MIN},
        {"1e3", 1000000},
        {"1E+3", 1000000},
        {"15e-1", 1500},
        {"1.7121954955196890470e15", 1712195495519689047},
        {"0e999999999999999999999", 0},
        {"0.0000000000000000000000000000000000000000000000001e49", 1000},
        {"1.50000", 1500},
        {"1000000000000000000000000e-24", 1000},
        {"1.000000000000000000000000000", 1000},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_ns(rows[i].text, rows[i].ns, OT_DECIMAL_OK);
}

static void a_fourth_decimal_is_rounded_half_to_even(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"0.0004", 0},
        {"0.0005", 0},
        {"0.00051", 1},
        {"0.0015", 2},
        {"0.0025", 2},
        {"0.0035", 4},
        {"-0.0015", -2},
        {"-0.0025", -2},
        {"5e-4", 0},
        {"1.0006", 1001},
        {"1e-400", 0},
        {"0.9999", 1000},
        {"0.00050000001", 1},
        {"1e-4", 0},
        {"1649284800123456.7895", 1649284800123456790},
        {"1649284800123456.7885", 1649284800123456788},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_ns(rows[i].text, rows[i].ns, OT_DECIMAL_ROUNDED);
}

static void what_does_not_fit_is_an_overflow_and_never_wraps(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "9223372036854775.808",
        "-9223372036854775.809",
        "9223372036854775.8075",
        "9999999999999999",
        "9999999999999999.999",
        "18446744073709551.616",
        "99999999999999999999",
        "1e16",
        "1e400",
        "1e99999999999999999999",
        "-1e17",
        "123456789012345678901234567890",
        "0.1e20",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_ns(rows[i], 0, OT_DECIMAL_OVERFLOW);
}

static void every_split_of_digits_reads_the_same(void **state)
{
    (void)state;
    const char digits[] = "1234567890123456789";
    for (size_t whole = 1; whole <= 16; whole++) {
        for (size_t decimals = 0; decimals <= 3; decimals++) {
            char text[32];
            int64_t expected = 0;
            snprintf(text, sizeof(text), "%.*s%s%.*s", (int)whole, digits, decimals ? "." : "",
                     (int)decimals, digits + whole);
            for (size_t i = 0; i < whole + decimals; i++)
                expected = expected * 10 + (digits[i] - '0');
            for (size_t i = decimals; i < 3; i++)
                expected *= 10;
            assert_ns(text, expected, OT_DECIMAL_OK);
        }
    }
}

static void whole_numbers_are_whole_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_int;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"7", true, 7},
        {"-7", true, -7},
        {"12345678", true, 12345678},
        {"123456789", true, 123456789},
        {"1234567890123456", true, 1234567890123456},
        {"12345678901234567", true, 12345678901234567},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"10159970886766084423", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"1.0", false, 0},
        {"1e2", false, 0},
        {"stream 7", false, 0},
        {"12:45678", false, 0},
        {"1234567/", false, 0},
        {"1234567\xff", false, 0},
        {" 1", false, 0},
        {"+1", false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 0;
        assert_int_equal(ot_decimal_int(padded(rows[i].text), &value), rows[i].is_int);
        if (rows[i].is_int)
            assert_int_equal(value, rows[i].value);
    }
}

static void an_unsigned_number_may_have_all_64_bits(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_true(ot_decimal_uint(padded("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_false(ot_decimal_uint(padded("18446744073709551616"), &value));
    assert_false(ot_decimal_uint(padded("-1"), &value));
}

static void a_text_is_a_number_if_json_says_so(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0", "-0", "10", "1.5", "-1.5e-3", "1E5", "0.0e+0"};
    static const char *const others[] = {"",   "-",   "01",  "1.", ".5", "1e",   "1e+",
                                         "+1", "0x1", "NaN", "1 ", " 1", "1.5.", "--1"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        assert_true(ot_decimal_is_number(ot_text_of(numbers[i])));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(ot_decimal_is_number(ot_text_of(others[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(microseconds_become_exact_nanoseconds),
        cmocka_unit_test(a_fourth_decimal_is_rounded_half_to_even),
        cmocka_unit_test(what_does_not_fit_is_an_overflow_and_never_wraps),
        cmocka_unit_test(every_split_of_digits_reads_the_same),
        cmocka_unit_test(whole_numbers_are_whole_or_refused),
        cmocka_unit_test(an_unsigned_number_may_have_all_64_bits),
        cmocka_unit_test(a_text_is_a_number_if_json_says_so),
    };
    return RUN(tests);
}
