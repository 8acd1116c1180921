#include "test.h"

#include <stdlib.h>

#include "emit/grid/grid.h"

static const struct ot_grid_column columns[] = {{"Time", false}, {"Kind", true}, {"Name", true}};

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
    ot_grid_write(grid, width, out);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(a_column_without_text_is_left_out),
        cmocka_unit_test(the_last_column_is_cut_to_the_width),
        cmocka_unit_test(cells_cannot_break_a_line),
        cmocka_unit_test(no_rows_leave_nothing_but_an_empty_line),
    };
    return RUN(tests);
}
