#include "test.h"

#include <stdlib.h>

#include "emit/grid/grid.h"
#include "emit/grid/leave_out.h"

static const struct ot_grid_column columns[] = {
    {"Time", false, 0}, {"Kind", true, OT_COLUMN_SPARE}, {"Name", true, 0}};

static void add(struct ot_grid *grid, const char *time, const char *kind, const char *name)
{
    ot_grid_add(grid, ot_text_of(time));
    ot_grid_add(grid, ot_text_of(kind));
    ot_grid_add(grid, ot_text_of(name));
}

static void assert_written(struct ot_grid *grid, size_t width, const char *expected)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    const struct ot_look look = {.width = width};
    ot_grid_write(grid, &look, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    ot_grid_release(grid);
}

static struct ot_grid new_grid(void)
{
    return (struct ot_grid){.columns = columns, .n_columns = 3};
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    (void)state;
    struct ot_grid grid = new_grid();
    add(&grid, "12.34ms", "op", "aten::mm");
    add(&grid, "5ns", "runtime", "\xc3\xa9");
    assert_written(&grid, 80,
                   "   Time  Kind     Name\n"
                   "12.34ms  op       aten::mm\n"
                   "    5ns  runtime  \xc3\xa9\n");
}

static void a_column_without_text_is_left_out(void **state)
{
    (void)state;
    struct ot_grid grid = new_grid();
    add(&grid, "1s", "", "a");
    grid.indent = "> ";
    assert_written(&grid, 80, "> Time  Name\n>   1s  a\n");
    grid = new_grid();
    add(&grid, "1s", "", "");
    grid.has_no_titles = true;
    assert_written(&grid, 80, "1s\n");
}

static void the_last_column_is_cut_to_the_width(void **state)
{
    (void)state;
    static const char name[] = "0123456789012345678901234567890123456789";
    struct ot_grid grid = new_grid();
    add(&grid, "1s", "op", name);
    assert_written(&grid, 50,
                   "Time  Kind  Name\n"
                   "  1s  op    0123456789012345[...]34567890123456789\n");
    grid = new_grid();
    add(&grid, "1s", "op", name);
    assert_written(&grid, 10,
                   "Time  Kind  Name\n"
                   "  1s  op    0123456789012[...]67890123456789\n");
}

static void cells_cannot_break_a_line(void **state)
{
    (void)state;
    struct ot_grid grid = new_grid();
    add(&grid, "1s", "op", "a\nb\xff");
    assert_written(&grid, 80,
                   "Time  Kind  Name\n  1s  op    a\xef\xbf\xbd"
                   "b\xef\xbf\xbd\n");
}

static void no_rows_leave_nothing_but_an_empty_line(void **state)
{
    (void)state;
    struct ot_grid grid = new_grid();
    assert_written(&grid, 80, "\n");
}

static void a_terminal_without_room_is_told_which_columns_are_missing(void **state)
{
    (void)state;
    static const struct {
        size_t width;
        const char *expected;
    } rows[] = {
        {42, "Time  Name\n"
             "  1s  012345678901234[...]4567890123456789\n"
             "Left out to fit 42 columns: Kind\n"},
        {14, "Time  Name\n"
             "  1s  0[...]89\n"
             "Left out to fit 14 columns: \n  Kind\n"},
        {13, "Time  Name\n"
             "  1s  0[...]89\n"
             "Left out: \n  Kind\n"
             "At least 14 columns are needed\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct ot_look look = {.width = rows[i].width, .is_terminal = true};
        struct ot_grid grid = new_grid();
        add(&grid, "1s", "op", "0123456789012345678901234567890123456789");
        char *text = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&text, &len);
        assert_non_null(out);
        ot_grid_write(&grid, &look, out);
        fclose(out);
        assert_string_equal(text, rows[i].expected);
        free(text);
        ot_grid_release(&grid);
    }
}

static void colours_take_no_room(void **state)
{
    (void)state;
    const struct ot_look look = {.width = 80, .is_terminal = true, .color = true};
    struct ot_grid grid = new_grid();
    ot_grid_add_styled(&grid, ot_text_of("1s"), OT_STYLE_HOT);
    ot_grid_add(&grid, ot_text_of("op"));
    ot_grid_add(&grid, ot_text_of("a"));
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    ot_grid_write(&grid, &look, out);
    fclose(out);
    assert_string_equal(text, "\033[1mTime\033[m  \033[1mKind\033[m  \033[1mName\033[m\n"
                              "  \033[1;31m1s\033[m  op    a\n");
    free(text);
    ot_grid_release(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(a_column_without_text_is_left_out),
        cmocka_unit_test(the_last_column_is_cut_to_the_width),
        cmocka_unit_test(cells_cannot_break_a_line),
        cmocka_unit_test(a_terminal_without_room_is_told_which_columns_are_missing),
        cmocka_unit_test(colours_take_no_room),
        cmocka_unit_test(no_rows_leave_nothing_but_an_empty_line),
    };
    return RUN(tests);
}
