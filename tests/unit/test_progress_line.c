#include "test.h"

#include "base/utf8.h"
#include "emit/progress/line.h"

enum { SECOND = 1000000000, MIB = 1 << 20 };

static const struct ot_progress_line half = {
    .what = "reading",
    .done_bytes = 50 * (uint64_t)MIB,
    .total_bytes = 100 * (uint64_t)MIB,
    .elapsed_ns = 5 * (int64_t)SECOND,
};

static void assert_line(const struct ot_progress_line *line, size_t width, bool ascii,
                        const char *expected)
{
    struct ot_str str = {0};
    ot_progress_line_add(&str, line, width, ascii);
    assert_string_equal(ot_str_borrow(&str), expected);
    assert_true(ot_utf8_count((struct ot_text){ot_str_borrow(&str), str.len}) <= width);
    ot_str_release(&str);
}

static void what_does_not_fit_is_left_out_rate_first(void **state)
{
    (void)state;
    assert_line(&half, 79, true,
                "reading [########--------]  50%   0:06 left    50.00 of 100.00MiB    10.00MiB/s");
    assert_line(&half, 70, true,
                "reading [##########-----------]  50%   0:06 left    50.00 of 100.00MiB");
    assert_line(&half, 50, true, "reading [###########------------]  50%   0:06 left");
    assert_line(&half, 30, true, "reading [#######--------]  50%");
    assert_line(&half, 24, true, "reading [#######-------]");
    assert_line(&half, 12, true, "reading");
    assert_line(&half, 3, true, "");
}

static void a_bar_grows_by_eighths_of_a_cell(void **state)
{
    (void)state;
    struct ot_progress_line line = half;
    line.total_bytes = 160;
    line.done_bytes = 81;
    assert_line(&line, 30, false,
                "reading \xe2\x94\x82"
                "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
                "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c"
                "       \xe2\x94\x82  50%");
    line.done_bytes = 2; /* an eighth of a cell is one and a third */
    assert_line(&line, 30, false,
                "reading \xe2\x94\x82\xe2\x96\x8f              \xe2\x94\x82   1%");
}

static void more_than_the_total_is_all_of_it(void **state)
{
    (void)state;
    struct ot_progress_line line = half;
    line.done_bytes = 2 * line.total_bytes;
    assert_line(&line, 30, true, "reading [###############] 100%");
}

static void without_a_total_there_are_time_bytes_and_rate(void **state)
{
    (void)state;
    struct ot_progress_line line = half;
    line.total_bytes = 0;
    line.elapsed_ns = 3700 * (int64_t)SECOND;
    assert_line(&line, 79, true, "reading  1:01:40    50.00MiB    13.84KiB/s");
    assert_line(&line, 30, true, "reading  1:01:40    50.00MiB");
}

static void without_bytes_there_is_the_time_alone(void **state)
{
    (void)state;
    struct ot_progress_line line = {.what = "sorting", .elapsed_ns = 62 * (int64_t)SECOND};
    assert_line(&line, 79, true, "sorting   1:02");
    line.total_bytes = 5;
    assert_line(&line, 79, true, "sorting   1:02");
}

static void no_time_left_is_told_before_a_rate_is_known(void **state)
{
    (void)state;
    struct ot_progress_line line = half;
    line.elapsed_ns = SECOND / 10;
    assert_line(&line, 50, true, "reading [###########------------]  50%   -:-- left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_left_out_rate_first),
        cmocka_unit_test(a_bar_grows_by_eighths_of_a_cell),
        cmocka_unit_test(more_than_the_total_is_all_of_it),
        cmocka_unit_test(without_a_total_there_are_time_bytes_and_rate),
        cmocka_unit_test(without_bytes_there_is_the_time_alone),
        cmocka_unit_test(no_time_left_is_told_before_a_rate_is_known),
    };
    return RUN(tests);
}
