#include "test.h"

#include <string.h>

#include "base/utf8.h"

/* The number of code points, and what is left of the text once it can be printed. */
static const struct {
    const char *bytes;
    size_t count;
    const char *printable;
} rows[] = {
    {"", 0, ""},
    {"aten::abs", 9, "aten::abs"},
    {"caf\xc3\xa9", 4, "caf\xc3\xa9"},
    {"\xe2\x82\xac", 1, "\xe2\x82\xac"},
    {"\xf0\x9f\x94\xa5", 1, "\xf0\x9f\x94\xa5"},
    {"\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                                 /* overlong */
    {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* surrogate */
    {"\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* too large */
    {"\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                                 /* cut */
    {"\x80", 1, "\xef\xbf\xbd"},
    {"a\nb\tc\x1b\x7f", 7,
     "a\xef\xbf\xbd"
     "b\xef\xbf\xbd"
     "c\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xc2\x9b", 1, "\xef\xbf\xbd"},     /* C1: an escape sequence in one byte */
    {"\xe2\x80\xae", 1, "\xef\xbf\xbd"}, /* writes the rest of the line backwards */
    {"\xe2\x80\xa8", 1, "\xef\xbf\xbd"}, /* line separator */
};

static void what_is_no_utf8_is_one_replacement_per_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ot_utf8_count(ot_text_of(rows[i].bytes)), rows[i].count);
}

static void printable_text_can_break_no_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_str str = {0};
        ot_utf8_add_printable(&str, ot_text_of(rows[i].bytes));
        assert_string_equal(ot_str_borrow(&str), rows[i].printable);
        ot_str_release(&str);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_utf8_is_one_replacement_per_byte),
        cmocka_unit_test(printable_text_can_break_no_line),
    };
    return RUN(tests);
}
