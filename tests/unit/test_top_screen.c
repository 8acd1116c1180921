#include "test.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "emit/grid/fit.h"
#include "emit/top/json.h"
#include "emit/top/keys.h"
#include "emit/top/screen.h"

enum { S = 1000000000 };

static struct ot_text text(const char *string)
{
    return ot_text_of(string);
}

static struct ot_top_row operators[40];
static struct ot_top_row threads[2];

/* A recording of 5 seconds' window in which `n` operators ran. */
static struct ot_top make(size_t n)
{
    static char names[40][16];
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof(names[i]), "aten::op%zu", i);
        operators[i] = (struct ot_top_row){.name = text(names[i]),
                                           .self_ns = (n - i) * 10000000,
                                           .inclusive_ns = (n - i) * 20000000,
                                           .n_calls = 1000 * (i + 1)};
    }
    threads[0] = (struct ot_top_row){.name = text("python"),
                                     .host = text("node1"),
                                     .current = text("aten::op0"),
                                     .pid = 12,
                                     .tid = 13,
                                     .self_ns = 4 * (uint64_t)S,
                                     .n_calls = 5000};
    threads[1] = (struct ot_top_row){.name = text("pt_autograd_0"),
                                     .host = text("node1"),
                                     .current = text(""),
                                     .pid = 12,
                                     .tid = 14,
                                     .self_ns = 3 * (uint64_t)S,
                                     .n_calls = 10};
    return (struct ot_top){
        .recording = text("optally-data/x"),
        .command = text("python3 train.py"),
        .host = text("node1"),
        .n_hosts = 1,
        .state = OT_TOP_RUNNING,
        .elapsed_ns = INT64_C(3723) * S,
        .wall_ns = 5 * (uint64_t)S,
        .n_processes = 1,
        .n_processes_alive = 1,
        .n_threads_alive = 2,
        .n_events = 500000,
        .log_bytes = 10 << 20,
        .grown_bytes = 5 << 20,
        .by = {[OT_TOP_OPERATORS] = {operators, n}, [OT_TOP_THREADS] = {threads, 2}},
    };
}

static char *draw(const struct ot_top *top, const struct ot_screen_opts *opts,
                  struct ot_screen *screen)
{
    static struct ot_str all;
    ot_str_clear(&all);
    ot_screen_make(screen, top, opts);
    assert_false(screen->failed);
    for (size_t i = 0; i < screen->n_lines; i++) {
        ot_str_add_text(&all, ot_screen_line(screen, i));
        ot_str_add(&all, "\n", 1);
    }
    return all.bytes;
}

static void assert_fits(const struct ot_screen *screen, size_t width, size_t height)
{
    assert_true(screen->n_lines <= height);
    for (size_t i = 0; i < screen->n_lines; i++)
        assert_true(ot_fit_cells(ot_screen_line(screen, i)) <= width);
}

static void a_screen_of_80_by_24_shows_everything(void **state)
{
    (void)state;
    struct ot_top top = make(3);
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {.width = 80, .height = 24, .interactive = true};
    assert_string_equal(
        draw(&top, &opts, &screen),
        "optally top: python3 train.py                                    running 1:02:03\n"
        "node1  1 process  2 threads  140.0% in operators  100.0k events/s\n"
        "log 10.00MiB +1.00MiB/s\n"
        "operators by self, last 5.0 s                                            ?: help\n"
        "  Self%   Incl%  Calls/s      Mean Operator                                     \n"
        "   0.6%    1.2%      200   60.00us aten::op0\n"
        "   0.4%    0.8%      400   20.00us aten::op1\n"
        "   0.2%    0.4%      600    6.67us aten::op2\n");
    assert_fits(&screen, 80, 24);
    assert_int_equal(screen.lines[0].style, OT_SCREEN_TITLE);
    assert_int_equal(screen.lines[4].style, OT_SCREEN_HEAD);
    ot_screen_release(&screen);
}

static void a_screen_of_40_by_10_shows_what_matters(void **state)
{
    (void)state;
    struct ot_top top = make(9);
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {.width = 40, .height = 10, .interactive = true};
    assert_string_equal(draw(&top, &opts, &screen), "python3 train.py         running 1:02:03\n"
                                                    "node1  1 process  2 threads\n"
                                                    "140.0% in operators  100.0k events/s\n"
                                                    "log 10.00MiB +1.00MiB/s\n"
                                                    "operators by self, 5.0 s        1-4 of 9\n"
                                                    "  Self%  Calls/s Operator               \n"
                                                    "   1.8%      200 aten::op0\n"
                                                    "   1.6%      400 aten::op1\n"
                                                    "   1.4%      600 aten::op2\n"
                                                    "   1.2%      800 aten::op3\n");
    assert_int_equal(screen.n_rows_shown, 4);
    ot_screen_release(&screen);
}

static void threads_show_what_they_are_in(void **state)
{
    (void)state;
    struct ot_top top = make(3);
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {.width = 80, .height = 24, .by = OT_TOP_THREADS};
    const char *all = draw(&top, &opts, &screen);
    assert_non_null(strstr(all, "  Busy%  Calls/s   Process   Thread Name            In"));
    assert_non_null(strstr(all, "  80.0%     1000        12       13 python          aten::op0\n"));
    assert_non_null(strstr(all, "  60.0%     2.00        12       14 pt_autograd_0   -\n"));
    ot_screen_release(&screen);
}

static void no_size_is_too_small_and_no_line_too_long(void **state)
{
    (void)state;
    struct ot_top top = make(30);
    operators[0].name = text("\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96"
                             "\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87");
    top.n_lost = top.n_skipped = top.n_stopped = 12345678901;
    top.stop_reason = text("No space left on device");
    top.trouble = text("somewhere: something");
    struct ot_screen screen = {0};
    for (size_t width = 1; width < 100; width++) {
        for (size_t height = 1; height < 30; height++) {
            for (int by = 0; by < OT_TOP_N_BY; by++) {
                struct ot_screen_opts opts = {.width = width,
                                              .height = height,
                                              .by = (enum ot_top_by)by,
                                              .help = (width + height) % 5 == 0,
                                              .interactive = true,
                                              .first_row = height};
                draw(&top, &opts, &screen);
                assert_fits(&screen, width, height);
            }
        }
    }
    ot_screen_release(&screen);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct ot_top top = make(1);
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {.width = 80, .height = 24};
    assert_null(strstr(draw(&top, &opts, &screen), "lost"));
    top.n_lost = 12;
    top.n_lost_names = 1;
    top.n_skipped = 34;
    top.n_stopped = 1;
    top.stop_reason = text("No space left on device");
    const char *all = draw(&top, &opts, &screen);
    assert_non_null(strstr(all, "1 process stopped recording: No space left on device\n"));
    assert_non_null(strstr(all, "12 events were lost\n"));
    assert_non_null(strstr(all, "1 name found no room: see (name not kept)\n"));
    assert_non_null(strstr(all, "34 events skipped"));
    assert_int_equal(screen.lines[3].style, OT_SCREEN_ALERT);
    ot_screen_release(&screen);
}

static void names_cannot_break_the_terminal(void **state)
{
    (void)state;
    struct ot_top top = make(1);
    top.command = text("a\x1b[2Jb\nc\xff");
    operators[0].name = text("x\x1b]0;y\x07\r\n\xc2\x9bz");
    top.trouble = text("\x1b[31m");
    struct ot_screen screen = {0};
    for (int ascii = 0; ascii < 2; ascii++) {
        struct ot_screen_opts opts = {.width = 80, .height = 24, .ascii = ascii};
        draw(&top, &opts, &screen);
        for (size_t i = 0; i < screen.text.len; i++) {
            unsigned char byte = (unsigned char)screen.text.bytes[i];
            assert_true(byte >= 0x20 && byte != 0x7f);
            assert_true(!ascii || byte < 0x7f);
        }
        assert_null(strstr(screen.text.bytes, "\xc2\x9b"));
    }
    ot_screen_release(&screen);
}

static void wide_characters_are_cut_where_their_cells_end(void **state)
{
    (void)state;
    struct ot_str str = {0};
    /* Two cells each: 8 of them are 16 cells. */
    struct ot_text wide = text("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
                               "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad");
    assert_int_equal(ot_fit_cells(wide), 16);
    assert_int_equal(ot_fit_add(&str, wide, 16, false), 16);
    ot_str_clear(&str);
    /* 5 cells for the mark leave 3 on either side: one character each. */
    assert_int_equal(ot_fit_add(&str, wide, 11, false), 9);
    assert_string_equal(str.bytes, "\xe4\xb8\xad[...]\xe4\xb8\xad");
    ot_str_clear(&str);
    assert_int_equal(ot_fit_add(&str, wide, 3, false), 2);
    assert_string_equal(str.bytes, "\xe4\xb8\xad");
    ot_str_clear(&str);
    /* A mark without a cell of its own stays with its letter, or goes with it. */
    struct ot_text accents = text("abcde\xcc\x81"
                                  "fghijklmnopqrstu\xcc\x81"
                                  "vwxyz");
    assert_int_equal(ot_fit_cells(accents), 26);
    assert_int_equal(ot_fit_add(&str, accents, 15, false), 15);
    assert_string_equal(str.bytes, "abcde\xcc\x81[...]vwxyz");
    ot_str_release(&str);
}

static void scrolling_stops_at_the_last_page(void **state)
{
    (void)state;
    struct ot_top top = make(40);
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {.width = 80, .height = 15, .interactive = true};
    struct ot_keys_state keys = {.screen = &opts};
    draw(&top, &opts, &screen);
    keys.page = screen.n_rows_shown;
    assert_int_equal(keys.page, 10);
    assert_true(ot_keys_press(&keys, OT_KEY_PAGE_DOWN));
    assert_true(ot_keys_press(&keys, OT_KEY_DOWN));
    assert_non_null(strstr(draw(&top, &opts, &screen), "12-21 of 40  ?: help\n"));
    ot_keys_press(&keys, OT_KEY_END);
    assert_non_null(strstr(draw(&top, &opts, &screen), "31-40 of 40"));
    assert_int_equal(screen.first_row, 30);
    opts.first_row = screen.first_row;
    ot_keys_press(&keys, OT_KEY_UP);
    assert_non_null(strstr(draw(&top, &opts, &screen), "30-39 of 40"));
    ot_keys_press(&keys, OT_KEY_PAGE_UP);
    assert_int_equal(opts.first_row, 19);
    ot_keys_press(&keys, OT_KEY_HOME);
    ot_keys_press(&keys, OT_KEY_UP);
    assert_int_equal(opts.first_row, 0);
    ot_screen_release(&screen);
}

static void keys_choose_what_is_shown(void **state)
{
    (void)state;
    struct ot_screen_opts opts = {.first_row = 7};
    struct ot_keys_state keys = {
        .screen = &opts, .window_ns = 5 * (uint64_t)S, .max_window_ns = 600 * (uint64_t)S};
    ot_keys_press(&keys, 's');
    assert_int_equal(opts.sort, OT_TOP_CALLS);
    assert_int_equal(opts.first_row, 0);
    for (int i = 0; i < 3; i++)
        ot_keys_press(&keys, 's');
    assert_int_equal(opts.sort, OT_TOP_SELF);
    ot_keys_press(&keys, 't');
    assert_int_equal(opts.by, OT_TOP_ANNOTATIONS);
    ot_keys_press(&keys, 't');
    ot_keys_press(&keys, 't');
    assert_int_equal(opts.by, OT_TOP_OPERATORS);
    ot_keys_press(&keys, '+');
    assert_int_equal(keys.window_ns, 10 * (uint64_t)S);
    for (int i = 0; i < 20; i++)
        ot_keys_press(&keys, '+');
    assert_int_equal(keys.window_ns, 600 * (uint64_t)S);
    for (int i = 0; i < 20; i++)
        ot_keys_press(&keys, '-');
    assert_int_equal(keys.window_ns, 1 * (uint64_t)S);
    ot_keys_press(&keys, 'p');
    assert_true(opts.paused);
    ot_keys_press(&keys, '?');
    assert_true(opts.help);
    assert_false(ot_keys_press(&keys, 'x'));
    assert_false(keys.quits);
    ot_keys_press(&keys, 'q');
    assert_true(keys.quits);
}

static void rows_are_sorted_by_what_was_chosen(void **state)
{
    (void)state;
    static struct ot_top_row rows[] = {
        {.name = {"b", 1}, .self_ns = 5, .inclusive_ns = 9, .n_calls = 1},
        {.name = {"c", 1}, .self_ns = 7, .inclusive_ns = 8, .n_calls = 4},
        {.name = {"a", 1}, .self_ns = 5, .inclusive_ns = 0, .n_calls = 0},
    };
    static const struct {
        enum ot_top_sort sort;
        const char *order;
    } cases[] = {{OT_TOP_SELF, "cab"},
                 {OT_TOP_CALLS, "cba"},
                 {OT_TOP_INCLUSIVE, "bca"},
                 {OT_TOP_MEAN, "bca"}};
    struct ot_top top = {.by = {{rows, 3}}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ot_top_sort(&top, cases[i].sort);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(rows[k].name.bytes[0], cases[i].order[k]);
    }
}

static void without_a_limit_nothing_is_cut(void **state)
{
    (void)state;
    struct ot_top top = make(40);
    operators[0].name = text("a name of more than a hundred characters, as those of C++ templates "
                             "may well be, is there to its very end");
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {0};
    const char *all = draw(&top, &opts, &screen);
    assert_non_null(strstr(all, "to its very end\n"));
    assert_non_null(strstr(all, "aten::op39\n"));
    assert_non_null(strstr(all, "log 10.00MiB"));
    ot_screen_release(&screen);
}

static void json_has_all_three_tables(void **state)
{
    (void)state;
    struct ot_top top = make(1);
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    ot_top_write_json(&top, out);
    fclose(out);
    assert_non_null(strstr(bytes, "\"operators\":[{\"name\":\"aten::op0\",\"self_ns\":10000000,"
                                  "\"inclusive_ns\":20000000,\"calls\":1000,\"mean_ns\":20000}]"));
    assert_non_null(strstr(bytes, "\"annotations\":[]"));
    assert_non_null(strstr(bytes, "\"vtid\":14,\"name\":\"pt_autograd_0\",\"in\":null"));
    free(bytes);
}

int main(void)
{
    /* Without the widths of characters two of the tests mean nothing. */
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
        fputs("no locale with UTF-8\n", stderr);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_screen_of_80_by_24_shows_everything),
        cmocka_unit_test(a_screen_of_40_by_10_shows_what_matters),
        cmocka_unit_test(threads_show_what_they_are_in),
        cmocka_unit_test(no_size_is_too_small_and_no_line_too_long),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(names_cannot_break_the_terminal),
        cmocka_unit_test(wide_characters_are_cut_where_their_cells_end),
        cmocka_unit_test(scrolling_stops_at_the_last_page),
        cmocka_unit_test(keys_choose_what_is_shown),
        cmocka_unit_test(rows_are_sorted_by_what_was_chosen),
        cmocka_unit_test(without_a_limit_nothing_is_cut),
        cmocka_unit_test(json_has_all_three_tables),
    };
    return RUN(tests);
}
