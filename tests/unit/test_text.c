#include "test.h"

#include "base/text.h"

static void the_last_part_of_a_path_is_its_base_name(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *base_name;
    } rows[] = {
        {"a/b.json", "b.json"},
        {"b.json", "b.json"},
        {"/a/rec/", "rec"},
        {"rec//", "rec"},
        {"/", "/"},
        {"//", "/"},
        {"", ""},
        {"-", "-"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(ot_text_same(ot_text_base_name(ot_text_of(rows[i].path)),
                                 ot_text_of(rows[i].base_name)));
}

static void a_text_ends_in_its_end(void **state)
{
    (void)state;
    assert_true(ot_text_ends_in(ot_text_of("a.json.gz"), ".gz"));
    assert_true(ot_text_ends_in(ot_text_of(".gz"), ".gz"));
    assert_true(ot_text_ends_in(ot_text_of(""), ""));
    assert_false(ot_text_ends_in(ot_text_of("gz"), ".gz"));
    assert_false(ot_text_ends_in(ot_text_of("a.gz.json"), ".gz"));
}

static void the_order_is_that_of_the_bytes(void **state)
{
    (void)state;
    static const char *const ordered[] = {"", "A", "a", "a\x01", "aa", "b", "\xff"};
    enum { N = sizeof(ordered) / sizeof(ordered[0]) };
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            int order = ot_text_compare(ot_text_of(ordered[i]), ot_text_of(ordered[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_part_of_a_path_is_its_base_name),
        cmocka_unit_test(a_text_ends_in_its_end),
        cmocka_unit_test(the_order_is_that_of_the_bytes),
    };
    return RUN(tests);
}
