#include "test.h"

#include <stdlib.h>

#include "emit/grid/leave_out.h"
#include "emit/grid/look.h"

static const struct ot_look file;
static const struct ot_look ascii = {.width = 80, .is_terminal = true, .ascii = true};
static const struct ot_look coloured = {.width = 80, .is_terminal = true, .color = true};

static void assert_added(const struct ot_look *look, const char *text, size_t width,
                         const char *expected, size_t cells)
{
    struct ot_str str = {0};
    assert_int_equal(ot_look_add(look, &str, ot_text_of(text), width), cells);
    assert_string_equal(ot_str_borrow(&str), expected);
    ot_str_release(&str);
}

static void without_colours_styles_are_nothing(void **state)
{
    (void)state;
    for (int style = OT_STYLE_PLAIN; style <= OT_STYLE_ERROR; style++) {
        assert_string_equal(ot_look_begin(&file, (enum ot_style)style), "");
        assert_string_equal(ot_look_end(&file, (enum ot_style)style), "");
    }
}

static void every_colour_ends_and_plain_text_has_none(void **state)
{
    (void)state;
    assert_string_equal(ot_look_begin(&coloured, OT_STYLE_PLAIN), "");
    assert_string_equal(ot_look_end(&coloured, OT_STYLE_PLAIN), "");
    for (int style = OT_STYLE_HEAD; style <= OT_STYLE_ERROR; style++) {
        assert_int_equal(ot_look_begin(&coloured, (enum ot_style)style)[0], '\033');
        assert_string_equal(ot_look_end(&coloured, (enum ot_style)style), "\033[m");
    }
}

static void a_tenth_is_warm_and_a_quarter_is_hot(void **state)
{
    (void)state;
    assert_int_equal(ot_style_of_share(99, 1000), OT_STYLE_PLAIN);
    assert_int_equal(ot_style_of_share(100, 1000), OT_STYLE_WARM);
    assert_int_equal(ot_style_of_share(249, 1000), OT_STYLE_WARM);
    assert_int_equal(ot_style_of_share(250, 1000), OT_STYLE_HOT);
    assert_int_equal(ot_style_of_share(1, 0), OT_STYLE_PLAIN);
    assert_int_equal(ot_style_of_share(-1, -1), OT_STYLE_PLAIN);
}

static void a_terminal_of_ascii_gets_question_marks(void **state)
{
    (void)state;
    assert_added(&file, "caf\xc3\xa9", 10, "caf\xc3\xa9", 4);
    assert_added(&ascii, "caf\xc3\xa9", 10, "caf?", 4);
    assert_added(&ascii, "a\nb\xff", 10, "a?b?", 4);
    assert_added(&ascii, "\xe6\x97\xa5\xe6\x9c\xac", 10, "??", 2);
    assert_added(&ascii, "0123456789abcdef\xc3\xa9", 10, "01[...]ef?", 10);
    assert_int_equal(ot_look_cells(&ascii, ot_text_of("\xe6\x97\xa5\xe6\x9c\xac")), 2);
}

static void the_highest_rank_is_left_out_first(void **state)
{
    (void)state;
    struct ot_column_fit columns[] = {
        {.title = "a", .width = 10, .rank = 0}, {.title = "b", .width = 10, .rank = 2},
        {.title = "c", .width = 0, .rank = 9},  {.title = "d", .width = 10, .rank = 3},
        {.title = "e", .width = 10, .rank = 1},
    };
    assert_int_equal(ot_columns_fit(columns, 5, 40, 0, 0), 40);
    assert_false(columns[3].is_left_out);
    assert_int_equal(ot_columns_fit(columns, 5, 39, 0, 0), 30);
    assert_true(columns[3].is_left_out);
    assert_false(columns[1].is_left_out);
    assert_int_equal(ot_columns_fit(columns, 5, 15, 0, 0), 10);
    assert_false(columns[0].is_left_out);
    assert_true(columns[1].is_left_out && columns[4].is_left_out);
    assert_false(columns[2].is_left_out); /* it is not there, so nobody misses it */
    assert_int_equal(ot_columns_fit(columns, 5, 0, 0, 0), 10);
    assert_false(columns[0].is_left_out);
}

static void spare_columns_are_left_out_for_good_names_others_only_for_the_least(void **state)
{
    (void)state;
    struct ot_column_fit columns[] = {
        {.title = "a", .width = 10, .rank = 0},
        {.title = "b", .width = 10, .rank = 1},
        {.title = "c", .width = 10, .rank = OT_COLUMN_SPARE},
    };
    assert_int_equal(ot_columns_fit(columns, 3, 50, 20, 8), 30);
    assert_int_equal(ot_columns_fit(columns, 3, 49, 20, 8), 20);
    assert_true(columns[2].is_left_out);
    assert_int_equal(ot_columns_fit(columns, 3, 28, 20, 8), 20);
    assert_false(columns[1].is_left_out);
    assert_int_equal(ot_columns_fit(columns, 3, 27, 20, 8), 10);
    assert_true(columns[1].is_left_out);
    assert_int_equal(ot_columns_fit(columns, 3, 5, 20, 8), 10);
    assert_false(columns[0].is_left_out);
}

/* What `write` writes; the caller frees it. */
static char *words_in(const struct ot_look *look, const char *words)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    ot_look_write_words(look, OT_STYLE_WARNING, "Why: ", ot_text_of(words), out);
    fclose(out);
    return text;
}

static void words_line_up_behind_their_label(void **state)
{
    (void)state;
    const struct ot_look narrow = {.width = 14, .is_terminal = true};
    char *text = words_in(&narrow, "one two three four");
    assert_string_equal(text, "Why: one two\n     three\n     four\n");
    free(text);
    const struct ot_look narrower = {.width = 9, .is_terminal = true};
    text = words_in(&narrower, "one two three four");
    assert_string_equal(text, "Why: one\n  two\n  three\n  four\n");
    free(text);
    text = words_in(&narrower, "three");
    assert_string_equal(text, "Why: \n  three\n");
    free(text);
    text = words_in(&file, "one two three four");
    assert_string_equal(text, "Why: one two three four\n");
    free(text);
    text = words_in(&ascii, "\xc3\xa9");
    assert_string_equal(text, "Why: ?\n");
    free(text);
    text = words_in(&coloured, "one");
    assert_string_equal(text, "\033[1;35mWhy: \033[mone\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_colours_styles_are_nothing),
        cmocka_unit_test(every_colour_ends_and_plain_text_has_none),
        cmocka_unit_test(a_tenth_is_warm_and_a_quarter_is_hot),
        cmocka_unit_test(a_terminal_of_ascii_gets_question_marks),
        cmocka_unit_test(the_highest_rank_is_left_out_first),
        cmocka_unit_test(spare_columns_are_left_out_for_good_names_others_only_for_the_least),
        cmocka_unit_test(words_line_up_behind_their_label),
    };
    return RUN(tests);
}
