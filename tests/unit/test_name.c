#include "test.h"

#include "emit/grid/name.h"

static void a_long_name_is_cut_in_its_middle(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t max_size;
        const char *shown;
    } rows[] = {
        {"aten::abs", 80, "aten::abs"},
        {"aten::abs", 9, "aten::abs"},
        {"aten::abs", -1, "aten::abs"},
        {"aten::abs", 8, "a[...]bs"}, /* (8 - 5) / 2 in front, the rest behind */
        {"aten::abs", 7, "a[...]s"},
        {"aten::abs", 6, "[...]s"},
        {"aten::abs", 5, "[...]"},
        {"aten::abs", 3, "[.."},
        {"aten::abs", 0, ""},
        {"", 0, ""},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 7,
         "\xc3\xa9[...]\xc3\xa9"},
        {"a\nb", 80,
         "a\xef\xbf\xbd"
         "b"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_str str = {0};
        ot_name_add(&str, ot_text_of(rows[i].name), rows[i].max_size);
        assert_string_equal(ot_str_borrow(&str), rows[i].shown);
        ot_str_release(&str);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_name_is_cut_in_its_middle),
    };
    return RUN(tests);
}
