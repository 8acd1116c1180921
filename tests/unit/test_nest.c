#include "pairing.h"

#include "slice/nest.h"

static int64_t self_of(struct ot_nest *nest, int64_t ts_ns, int64_t dur_ns, bool err)
{
    struct ot_slice slice = {.ts_ns = ts_ns, .dur_ns = dur_ns, .err = err};
    struct ot_err sentence;
    assert_int_equal(ot_nest_add(nest, &slice, &sentence), OT_OK);
    return slice.self_ns;
}

static void only_direct_children_come_off(void **state)
{
    (void)state;
    struct ot_nest *nest = ot_nest_new();
    assert_int_equal(self_of(nest, 12, 3, false), 3);
    assert_int_equal(self_of(nest, 10, 10, false), 7);
    assert_int_equal(self_of(nest, 30, 1, false), 1);
    assert_int_equal(self_of(nest, 0, 100, false), 89);
    assert_int_equal(self_of(nest, 100, 5, false), 5);
    ot_nest_free(nest);
    ot_nest_free(NULL);
}

static void failed_slices_have_no_time(void **state)
{
    (void)state;
    struct ot_nest *nest = ot_nest_new();
    assert_int_equal(self_of(nest, 5, 3, true), 0);
    assert_int_equal(self_of(nest, 0, 10, false), 10);
    ot_nest_free(nest);
}

static void self_time_is_never_negative(void **state)
{
    (void)state;
    struct ot_nest *nest = ot_nest_new();
    assert_int_equal(self_of(nest, 10, INT64_MAX, false), INT64_MAX);
    assert_int_equal(self_of(nest, 20, INT64_MAX, false), INT64_MAX);
    assert_int_equal(self_of(nest, 0, 5, false), 0);
    ot_nest_free(nest);
}

static void a_parent_of_very_many_is_exact_and_one_among_merged_ones_is_counted(void **state)
{
    (void)state;
    struct ot_nest *nest = ot_nest_new();
    int64_t n = OT_NEST_MAX_UNCLAIMED + 1000;
    for (int64_t i = 0; i < n; i++)
        self_of(nest, 10 * i, 10, false);
    /* Starts inside a merged pair: its first child cannot be told from the sibling before it. */
    assert_int_equal(self_of(nest, 10, 10 * n, false), 10 * n - 10 * (n - 2));
    assert_int_equal(ot_nest_uncertain(nest), 1);
    assert_int_equal(self_of(nest, 0, 20 * n, false), 20 * n - 20 - 10 * n);
    assert_int_equal(ot_nest_uncertain(nest), 1);
    ot_nest_free(nest);
}

/* Small numbers make ties, zero durations, lost entries and failed exits common. */
static uint32_t random_state;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

static void check_same(struct pairing *p, struct ot_nest *nest)
{
    struct ot_paired paired;
    while (ot_pair_next(p->pair, &paired) == OT_OK) {
        if (paired.kind != OT_PAIRED_SLICE)
            continue;
        struct ot_slice slice = paired.slice;
        struct ot_err err;
        assert_int_equal(ot_nest_add(nest, &slice, &err), OT_OK);
        assert_int_equal(slice.self_ns, paired.slice.self_ns);
    }
}

static void random_programs_have_the_same_self_times_as_pairing(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t seed = 0; seed < 2000; seed++) {
        random_state = seed;
        struct pairing p;
        pairing_begin(&p);
        struct ot_nest *nest = ot_nest_new();
        int64_t ts_ns = 0;
        for (uint32_t i = 0; i < 60; i++) {
            ts_ns += random_below(3);
            struct ot_event event = {
                .kind = random_below(2) ? OT_EVENT_ENTRY : OT_EVENT_EXIT,
                .backend = 10,
                .ts_ns = ts_ns - (random_below(20) == 0 ? 5 : 0),
                .vtid = random_below(2),
                .host = ot_text_of("h"),
                .name = ot_text_of(names[random_below(4)]),
            };
            struct ot_err err;
            assert_int_equal(ot_pair_feed(p.pair, &event, &err), OT_OK);
            check_same(&p, nest);
        }
        ot_nest_free(nest);
        pairing_end(&p, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_direct_children_come_off),
        cmocka_unit_test(failed_slices_have_no_time),
        cmocka_unit_test(self_time_is_never_negative),
        cmocka_unit_test(a_parent_of_very_many_is_exact_and_one_among_merged_ones_is_counted),
        cmocka_unit_test(random_programs_have_the_same_self_times_as_pairing),
    };
    return RUN(tests);
}
