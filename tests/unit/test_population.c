#include "test.h"

#include "stats/population.h"

static void add(struct ot_population *pop, uint32_t name, uint64_t vtid, int64_t dur_ns, bool err)
{
    struct ot_slice slice = {
        .name = name, .vtid = vtid, .dur_ns = dur_ns, .self_ns = dur_ns / 2, .err = err};
    struct ot_err sentence;
    assert_int_equal(ot_population_add(pop, &slice, &sentence), OT_OK);
}

static void calls_of_one_thread_and_name_are_one_row(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add(&pop, 1, 1, 10, false);
    add(&pop, 1, 1, 30, false);
    add(&pop, 2, 1, 5, false);
    add(&pop, 1, 2, 7, false);
    assert_int_equal(pop.n_rows, 3);
    const struct ot_totals *totals = &pop.rows[0].totals;
    assert_int_equal(totals->n_calls, 2);
    assert_int_equal(totals->inclusive_ns, 40);
    assert_int_equal(totals->self_ns, 20);
    assert_int_equal(totals->min_ns, 10);
    assert_int_equal(totals->max_ns, 30);
    ot_population_release(&pop);
    ot_population_release(NULL);
}

static void failed_calls_count_and_have_no_time(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add(&pop, 1, 1, 99, true);
    assert_int_equal(pop.rows[0].totals.min_ns, INT64_MAX);
    add(&pop, 1, 1, 0, false);
    const struct ot_totals *totals = &pop.rows[0].totals;
    assert_int_equal(totals->n_calls, 2);
    assert_int_equal(totals->n_errors, 1);
    assert_int_equal(totals->inclusive_ns, 0);
    assert_int_equal(totals->min_ns, 0);
    assert_int_equal(totals->max_ns, 0);
    ot_population_release(&pop);
}

static void a_sum_beyond_the_limit_is_held_and_counted(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add(&pop, 1, 1, INT64_MAX, false);
    assert_int_equal(pop.counts.overflowed_sums, 0);
    add(&pop, 1, 1, INT64_MAX, false);
    assert_int_equal(pop.rows[0].totals.inclusive_ns, INT64_MAX);
    assert_int_equal(pop.counts.overflowed_sums, 1);
    ot_population_release(&pop);
}

static void an_unclosed_entry_is_no_call(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_slice entry = {.name = 1};
    struct ot_err err;
    assert_int_equal(ot_population_add_unclosed(&pop, &entry, &err), OT_OK);
    assert_int_equal(pop.rows[0].n_unclosed, 1);
    assert_int_equal(pop.rows[0].totals.n_calls, 0);
    ot_population_release(&pop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_one_thread_and_name_are_one_row),
        cmocka_unit_test(failed_calls_count_and_have_no_time),
        cmocka_unit_test(a_sum_beyond_the_limit_is_held_and_counted),
        cmocka_unit_test(an_unclosed_entry_is_no_call),
    };
    return RUN(tests);
}
