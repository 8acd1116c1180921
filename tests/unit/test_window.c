#include "test.h"

#include <stdio.h>
#include <string.h>

#include "stats/window.h"

enum { S = 1000000000 };

static void begin(struct ot_window *window, uint64_t wall_ns, uint64_t n_events)
{
    struct ot_err err;
    struct ot_window_slice slice = {.wall_ns = wall_ns, .n_events = n_events, .grown_bytes = 8};
    assert_int_equal(ot_window_begin(window, &slice, &err), OT_OK);
}

static void add(struct ot_window *window, const char *key, uint64_t self_ns, uint64_t n_calls)
{
    struct ot_err err;
    struct ot_window_sums sums = {self_ns, 2 * self_ns, n_calls};
    assert_int_equal(ot_window_add(window, ot_text_of(key), &sums, &err), OT_OK);
}

static struct ot_window_view look(struct ot_window *window, uint64_t span_ns)
{
    struct ot_err err;
    struct ot_window_view view;
    assert_int_equal(ot_window_view(window, span_ns, &view, &err), OT_OK);
    return view;
}

static struct ot_window_sums of(const struct ot_window *window, const char *key)
{
    return ot_window_sums_of(window, ot_text_of(key));
}

static void the_newest_slices_add_up(void **state)
{
    (void)state;
    struct ot_window *window = ot_window_new(10 * (uint64_t)S);
    begin(window, S, 1);
    add(window, "a", 100, 1);
    begin(window, S, 10);
    add(window, "a", 7, 2);
    add(window, "b", 5, 1);
    add(window, "a", 3, 1);
    begin(window, S, 100);
    add(window, "b", 1, 1);

    struct ot_window_view view = look(window, 2 * (uint64_t)S);
    assert_int_equal(view.n_rows, 2);
    assert_int_equal(view.whole.wall_ns, 2 * (uint64_t)S);
    assert_int_equal(view.whole.n_events, 110);
    assert_int_equal(of(window, "a").self_ns, 10);
    assert_int_equal(of(window, "a").inclusive_ns, 20);
    assert_int_equal(of(window, "a").n_calls, 3);
    assert_int_equal(of(window, "b").self_ns, 6);

    view = look(window, 1 * (uint64_t)S);
    assert_int_equal(view.n_rows, 1);
    assert_int_equal(of(window, "a").n_calls, 0);
    view = look(window, 60 * (uint64_t)S);
    assert_int_equal(view.whole.wall_ns, 3 * (uint64_t)S);
    assert_int_equal(of(window, "a").self_ns, 110);
    assert_int_equal(of(window, "never").self_ns, 0);
    ot_window_free(window);
}

static void a_slice_that_only_reaches_into_the_span_counts_by_its_share(void **state)
{
    (void)state;
    struct ot_window *window = ot_window_new(10 * (uint64_t)S);
    begin(window, 4 * (uint64_t)S, 400);
    add(window, "a", 4000, 40);
    begin(window, S, 100);
    add(window, "a", 1, 1);
    struct ot_window_view view = look(window, 2 * (uint64_t)S);
    assert_int_equal(view.whole.wall_ns, 2 * (uint64_t)S);
    assert_int_equal(view.whole.n_events, 200);
    assert_int_equal(of(window, "a").self_ns, 1001);
    assert_int_equal(of(window, "a").n_calls, 11);
    ot_window_free(window);
}

static void what_lies_behind_the_span_is_forgotten(void **state)
{
    (void)state;
    struct ot_window *window = ot_window_new(3 * (uint64_t)S);
    for (int i = 0; i < 100; i++) {
        begin(window, S, 1);
        add(window, i == 0 ? "first" : "rest", 1, 1);
    }
    struct ot_window_view view = look(window, UINT64_MAX);
    assert_int_equal(view.whole.wall_ns, 3 * (uint64_t)S);
    assert_int_equal(view.n_rows, 1);
    ot_window_free(window);
}

static void names_that_are_new_for_ever_are_forgotten_with_their_slices(void **state)
{
    (void)state;
    struct ot_window *window = ot_window_new(3 * (uint64_t)S);
    char name[32];
    for (int i = 0; i < 20000; i++) {
        if (i % 10 == 0) {
            begin(window, S, 1);
            add(window, "always", 1, 1);
        }
        snprintf(name, sizeof(name), "step %d", i);
        add(window, name, 5, 1);
        add(window, name, 5, 1);
    }
    struct ot_window_view view = look(window, UINT64_MAX);
    assert_int_equal(view.n_rows, 31);
    assert_int_equal(of(window, "always").n_calls, 3);
    assert_int_equal(of(window, "step 19999").self_ns, 10);
    assert_int_equal(of(window, "step 19970").self_ns, 10);
    assert_int_equal(of(window, "step 19969").self_ns, 0);
    for (size_t i = 0; i < view.n_rows; i++)
        assert_true(view.rows[i].sums.n_calls == 3 || view.rows[i].sums.self_ns == 10);
    ot_window_free(window);
}

static void short_slices_are_put_together_so_that_the_span_fits(void **state)
{
    (void)state;
    struct ot_window *window = ot_window_new(600 * (uint64_t)S);
    for (int i = 0; i < 7000; i++) {
        begin(window, S / 10, 1);
        add(window, "a", 10, 1);
    }
    struct ot_window_view view = look(window, 600 * (uint64_t)S);
    assert_int_equal(view.whole.wall_ns, 600 * (uint64_t)S);
    assert_in_range(of(window, "a").n_calls, 5990, 6000);
    ot_window_free(window);
}

static void a_window_without_slices_has_no_rows(void **state)
{
    (void)state;
    struct ot_window *window = ot_window_new(S);
    struct ot_window_view view = look(window, S);
    assert_int_equal(view.n_rows, 0);
    assert_int_equal(view.whole.wall_ns, 0);
    ot_window_free(window);
    ot_window_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_slices_add_up),
        cmocka_unit_test(a_slice_that_only_reaches_into_the_span_counts_by_its_share),
        cmocka_unit_test(what_lies_behind_the_span_is_forgotten),
        cmocka_unit_test(names_that_are_new_for_ever_are_forgotten_with_their_slices),
        cmocka_unit_test(short_slices_are_put_together_so_that_the_span_fits),
        cmocka_unit_test(a_window_without_slices_has_no_rows),
    };
    return RUN(tests);
}
