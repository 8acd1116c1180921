#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "diff/split.h"

/* --- the split -----------------------------------------------------------------------------------
 */

__extension__ typedef unsigned __int128 wide;

static void assert_split(struct ot_diff_amount before, struct ot_diff_amount after,
                         int64_t calls_part, int64_t value_part)
{
    ot_diff_sum calls;
    ot_diff_sum value;
    ot_diff_split(before, after, &calls, &value);
    assert_true(calls == calls_part);
    assert_true(value == value_part);
}

static void more_calls_and_costlier_ones_are_told_apart(void **state)
{
    (void)state;
    assert_split((struct ot_diff_amount){10, 1000}, (struct ot_diff_amount){20, 2000}, 1000, 0);
    assert_split((struct ot_diff_amount){10, 1000}, (struct ot_diff_amount){10, 3000}, 0, 2000);
    /* 10 more calls, each (100 + 200) / 2 */
    assert_split((struct ot_diff_amount){10, 1000}, (struct ot_diff_amount){20, 4000}, 1500, 1500);
    assert_split((struct ot_diff_amount){20, 4000}, (struct ot_diff_amount){10, 1000}, -1500,
                 -1500);
    /* fewer calls of more each, the same sum */
    assert_split((struct ot_diff_amount){4, 400}, (struct ot_diff_amount){1, 400}, -750, 750);
}

static void halves_go_to_the_even_number(void **state)
{
    (void)state;
    /* 1 * (1/1 + 2/2) / 2 = 1; 1 * (0 + 1/2) / 2 = 0.25; 2 * (1 + 0) / 2 = 1 */
    assert_split((struct ot_diff_amount){1, 1}, (struct ot_diff_amount){2, 2}, 1, 0);
    assert_split((struct ot_diff_amount){1, 0}, (struct ot_diff_amount){2, 1}, 0, 1);
    /* 1 * (1 + 0) / 2 = 0.5 is 0, 1 * (3 + 0) / 2 = 1.5 is 2, and so below 0 */
    assert_split((struct ot_diff_amount){1, 1}, (struct ot_diff_amount){2, 0}, 0, -1);
    assert_split((struct ot_diff_amount){1, 3}, (struct ot_diff_amount){2, 0}, 2, -5);
    assert_split((struct ot_diff_amount){2, 0}, (struct ot_diff_amount){1, 1}, 0, 1);
    assert_split((struct ot_diff_amount){2, 0}, (struct ot_diff_amount){1, 3}, -2, 5);
}

static void what_is_new_or_gone_is_all_in_its_calls(void **state)
{
    (void)state;
    assert_split((struct ot_diff_amount){0, 0}, (struct ot_diff_amount){3, 999}, 999, 0);
    assert_split((struct ot_diff_amount){3, 999}, (struct ot_diff_amount){0, 0}, -999, 0);
    assert_split((struct ot_diff_amount){0, 0}, (struct ot_diff_amount){0, 0}, 0, 0);
    /* a median of no calls with time: others had some */
    assert_split((struct ot_diff_amount){0, 5}, (struct ot_diff_amount){4, 9}, 4, 0);
}

/* x * y in 256 bits, as four limbs. */
struct limbs {
    uint64_t of[4];
};

static struct limbs times(wide x, wide y)
{
    struct limbs product = {{0}};
    const uint64_t a[2] = {(uint64_t)x, (uint64_t)(x >> 64)};
    const uint64_t b[2] = {(uint64_t)y, (uint64_t)(y >> 64)};
    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < 2; k++) {
            wide sum = (wide)a[i] * b[k] + product.of[i + k] + carry;
            product.of[i + k] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        product.of[i + 2] += carry;
    }
    return product;
}

static int compare_limbs(const struct limbs *a, const struct limbs *b)
{
    for (int i = 3; i >= 0; i--) {
        if (a->of[i] != b->of[i])
            return a->of[i] < b->of[i] ? -1 : 1;
    }
    return 0;
}

static struct limbs subtract(struct limbs a, const struct limbs *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        wide less = (wide)b->of[i] + borrow;
        borrow = a.of[i] < less;
        a.of[i] -= (uint64_t)less;
    }
    return a;
}

/* |calls part| * 2 * ca * cb lies within ca * cb of |more| * (a * cb + b * ca), and where it lies
 * just that far the part is even: multiplied out, in numbers wide enough. */
static bool is_nearest(struct ot_diff_amount before, struct ot_diff_amount after, ot_diff_sum part)
{
    wide more = before.n_calls < after.n_calls ? (wide)after.n_calls - (wide)before.n_calls
                                               : (wide)before.n_calls - (wide)after.n_calls;
    wide one = (wide)before.n_calls * (wide)after.n_calls;
    wide both = (wide)before.value * (wide)after.n_calls + (wide)after.value * (wide)before.n_calls;
    wide size = part < 0 ? -(wide)part : (wide)part;
    struct limbs exact = times(more, both);
    struct limbs is = times(size, one * 2);
    struct limbs limit = times(one, 1);
    bool is_above = compare_limbs(&is, &exact) > 0;
    struct limbs apart = is_above ? subtract(is, &exact) : subtract(exact, &is);
    int order = compare_limbs(&apart, &limit);
    bool has_sign = part == 0 || (part < 0) == (after.n_calls < before.n_calls);
    return has_sign && (order < 0 || (order == 0 && size % 2 == 0));
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ (*state >> 31);
}

static int64_t any_number(uint64_t *state, int64_t least)
{
    static const int64_t extremes[] = {0,        1, 2, 3, INT32_MAX, INT64_MAX / 2, INT64_MAX - 1,
                                       INT64_MAX};
    uint64_t random = next_random(state);
    int64_t number = random % 4 == 0
                         ? extremes[(random >> 8) % (sizeof(extremes) / sizeof(extremes[0]))]
                         : (int64_t)(next_random(state) >> (1 + random % 62));
    return number < least ? least : number;
}

static void parts_add_up_and_the_calls_part_is_the_nearest(void **state)
{
    (void)state;
    enum { TRIES = 200000 };
    uint64_t random = 1;
    for (int i = 0; i < TRIES; i++) {
        struct ot_diff_amount before = {any_number(&random, 1), any_number(&random, 0)};
        struct ot_diff_amount after = {any_number(&random, 1), any_number(&random, 0)};
        ot_diff_sum calls;
        ot_diff_sum value;
        ot_diff_split(before, after, &calls, &value);
        assert_true(calls + value == (ot_diff_sum)after.value - before.value);
        assert_true(is_nearest(before, after, calls));
    }
}

/* --- analyses in the making ----------------------------------------------------------------------
 */

enum { MAX_ROWS = 8, MAX_SESSIONS = 2 };

struct made {
    struct ot_analysis analysis;
    struct ot_operator_row rows[MAX_ROWS];
    struct ot_aggregate aggregates[3];
    struct ot_session sessions[MAX_SESSIONS];
    struct ot_coverage coverage[1];
    const char *artifacts[MAX_SESSIONS];
    struct ot_text reason;
};

static void make(struct made *made, const char *artifact)
{
    *made = (struct made){.artifacts = {artifact, "other"}};
    made->analysis.operators.rows = made->rows;
    made->analysis.aggregates = made->aggregates;
    made->analysis.n_aggregates = 3;
    made->analysis.sessions = made->sessions;
    made->analysis.n_sessions = 1;
    made->analysis.coverage = made->coverage;
    made->coverage[0].name = ot_text_of("python_stacks");
    made->analysis.n_coverage = 1;
    made->reason = ot_text_of("no device work was recorded");
    made->aggregates[0] =
        (struct ot_aggregate){.name = ot_text_of("host_busy_time"), .unit = ot_text_of("ns")};
    made->aggregates[1] = (struct ot_aggregate){.name = ot_text_of("device_time_sum"),
                                                .unit = ot_text_of("ns"),
                                                .kind = OT_VALUE_UNAVAILABLE,
                                                .reasons = &made->reason,
                                                .n_reasons = 1};
    made->aggregates[2] =
        (struct ot_aggregate){.name = ot_text_of("warmup_time"), .unit = ot_text_of("ns")};
}

static struct ot_operator_row *add_row(struct made *made, const char *name, uint64_t n_calls,
                                       int64_t self_ns)
{
    struct ot_operator_row *row = &made->rows[made->analysis.operators.n_rows++];
    *row = (struct ot_operator_row){.name = ot_text_of(name),
                                    .kind = ot_text_of("op"),
                                    .category = ot_text_of("cpu_op"),
                                    .n_calls = n_calls,
                                    .self_ns = self_ns,
                                    .inclusive_ns = self_ns};
    made->aggregates[0].value += self_ns;
    return row;
}

static bool add_of(struct ot_diff *diff, enum ot_diff_side side, const struct made *made,
                   const char *format)
{
    struct ot_err err;
    bool is_twin = false;
    const struct ot_diff_input input = {.analysis = &made->analysis,
                                        .name = made->artifacts[0],
                                        .format = format,
                                        .artifacts = made->artifacts};
    assert_int_equal(ot_diff_add(diff, side, &input, &is_twin, &err), OT_OK);
    return is_twin;
}

static bool add(struct ot_diff *diff, enum ot_diff_side side, const struct made *made)
{
    return add_of(diff, side, made, "kineto");
}

static void finish(struct ot_diff *diff)
{
    struct ot_err err = {""};
    int code = ot_diff_finish(diff, &err);
    if (code < 0)
        fail_msg("%s", err.msg);
}

static const struct ot_diff_operator *find(const struct ot_diff *diff, const char *name)
{
    for (size_t i = 0; i < diff->operators.n_rows; i++) {
        if (ot_text_same(diff->operators.rows[i].name, ot_text_of(name)))
            return &diff->operators.rows[i];
    }
    fail_msg("no row %s", name);
    return NULL;
}

static const struct ot_diff_fact *find_fact(const struct ot_diff *diff, enum ot_diff_fact_kind kind)
{
    for (size_t i = 0; i < diff->n_facts; i++) {
        if (diff->facts[i].kind == kind)
            return &diff->facts[i];
    }
    return NULL;
}

/* Of one operator "x", with one call a run, that takes so long. */
static void compare_runs(struct ot_diff *diff, const int64_t *before, size_t n_before,
                         const int64_t *after, size_t n_after)
{
    const int64_t *values[] = {before, after};
    const size_t n[] = {n_before, n_after};
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < n[side]; i++) {
            char artifact[32];
            struct made made;
            snprintf(artifact, sizeof(artifact), "%d.%zu", side, i);
            make(&made, artifact);
            add_row(&made, "x", 1, values[side][i]);
            assert_false(add(diff, (enum ot_diff_side)side, &made));
        }
    }
    finish(diff);
}

/* --- what is compared ----------------------------------------------------------------------------
 */

static void the_largest_change_comes_first_and_all_of_them_make_the_whole(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made before;
    struct made after;
    make(&before, "a");
    make(&after, "b");
    add_row(&before, "same", 1, 500);
    add_row(&before, "gone", 2, 300);
    add_row(&before, "slower", 4, 400);
    add_row(&after, "slower", 4, 2000);
    add_row(&after, "new", 1, 7);
    add_row(&after, "same", 1, 500);
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    finish(&diff);

    const char *const order[] = {"slower", "gone", "new", "same"};
    assert_int_equal(diff.operators.n_rows, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(ot_text_same(diff.operators.rows[i].name, ot_text_of(order[i])));
    assert_int_equal(find(&diff, "new")->presence, OT_DIFF_NEW);
    assert_int_equal(find(&diff, "gone")->presence, OT_DIFF_VANISHED);
    assert_true(diff.operators.change == 1600 - 300 + 7);
    assert_true(diff.operators.new_change == 7);
    assert_true(diff.operators.vanished_change == -300);
    assert_int_equal(diff.operators.n_changed, 3);
    assert_true(diff.operators.change ==
                ot_diff_find_aggregate(&diff, "host_busy_time")->value.change);
    assert_false(diff.trust.has_intervals);
    ot_diff_release(&diff);
}

static void categories_and_sessions_of_an_operator_are_one(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made before;
    struct made after;
    make(&before, "a");
    make(&after, "b");
    add_row(&before, "x", 1, 10);
    add_row(&after, "x", 2, 30)->category = ot_text_of("Operator");
    add_row(&after, "x", 3, 50)->session = 1;
    after.analysis.n_sessions = 2;
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    finish(&diff);
    assert_int_equal(diff.operators.n_rows, 1);
    assert_int_equal(diff.operators.rows[0].measures[OT_DIFF_SELF].change, 70);
    assert_int_equal(diff.operators.rows[0].measures[OT_DIFF_CALLS].change, 4);
    ot_diff_release(&diff);
}

static void what_a_side_cannot_know_is_not_compared(void **state)
{
    (void)state;
    struct ot_diff diff = {.measure = OT_DIFF_DEVICE};
    struct ot_err err;
    struct made before;
    struct made after;
    make(&before, "a");
    make(&after, "b");
    before.analysis.has_device = true;
    add_row(&before, "x", 1, 10);
    add_row(&after, "x", 1, 10);
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    assert_int_equal(ot_diff_finish(&diff, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "no device work was recorded in the candidate"));
    ot_diff_release(&diff);

    diff = (struct ot_diff){0};
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    finish(&diff);
    const struct ot_diff_change *device = &find(&diff, "x")->measures[OT_DIFF_DEVICE];
    assert_true(device->is_known[OT_DIFF_BASELINE]);
    assert_false(device->is_known[OT_DIFF_CANDIDATE]);
    assert_int_equal(diff.devices.n_rows, 0);
    const struct ot_diff_aggregate *sum = ot_diff_find_aggregate(&diff, "device_time_sum");
    assert_false(ot_diff_is_known(&sum->value));
    assert_true(ot_text_same(sum->reasons[1], ot_text_of("no device work was recorded")));
    ot_diff_release(&diff);
}

/* --- several runs --------------------------------------------------------------------------------
 */

static void medians_are_of_the_middle_two_and_round_down(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){10, 40, 20, 13}, 4, (const int64_t[]){100, 7, 9}, 3);
    const struct ot_diff_change *self = &diff.operators.rows[0].measures[OT_DIFF_SELF];
    assert_int_equal(self->of[OT_DIFF_BASELINE], 16);
    assert_int_equal(self->of[OT_DIFF_CANDIDATE], 9);
    ot_diff_release(&diff);
    diff = (struct ot_diff){0};
    compare_runs(&diff, (const int64_t[]){INT64_MAX, INT64_MAX}, 2, (const int64_t[]){0, 1}, 2);
    self = &diff.operators.rows[0].measures[OT_DIFF_SELF];
    assert_true(self->of[OT_DIFF_BASELINE] == INT64_MAX);
    assert_int_equal(self->of[OT_DIFF_CANDIDATE], 0);
    assert_true(self->change == -INT64_MAX);
    ot_diff_release(&diff);
}

/* What is allocated can stay below 0, if a recording begins when memory is in use. */
static void values_below_0_have_medians_too(void **state)
{
    (void)state;
    static const int64_t peaks[OT_DIFF_SIDES][3] = {{-64, -65, INT64_MIN},
                                                    {INT64_MAX, INT64_MAX, -64}};
    for (size_t n = 1; n <= 3; n++) {
        struct ot_diff diff = {0};
        for (int side = 0; side < OT_DIFF_SIDES; side++) {
            for (size_t i = 0; i < n; i++) {
                char artifact[32];
                struct made made;
                snprintf(artifact, sizeof(artifact), "%d.%zu", side, i);
                make(&made, artifact);
                made.aggregates[2].value = peaks[side][i];
                add(&diff, (enum ot_diff_side)side, &made);
            }
        }
        finish(&diff);
        const struct ot_diff_aggregate *peak = ot_diff_find_aggregate(&diff, "warmup_time");
        assert_int_equal(peak->value.of[OT_DIFF_BASELINE], n == 1 ? -64 : -65);
        assert_true(peak->value.of[OT_DIFF_CANDIDATE] == INT64_MAX);
        assert_true(peak->value.change == INT64_MAX);
        assert_true(n < 3 || (peak->interval.low == 0 && peak->interval.high == INT64_MAX));
        ot_diff_release(&diff);
    }
}

static void sums_that_64_bits_do_not_hold_are_lower_bounds(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made before;
    struct made after;
    make(&before, "a");
    make(&after, "b");
    add_row(&before, "x", 1, INT64_MAX - 1);
    add_row(&before, "x", 1, 1)->category = ot_text_of("Operator");
    add_row(&after, "x", INT64_MAX, 1);
    add_row(&after, "x", 1, 1)->category = ot_text_of("Operator");
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    finish(&diff);
    assert_true(diff.runs[OT_DIFF_BASELINE][0].is_exact);
    assert_false(diff.runs[OT_DIFF_CANDIDATE][0].is_exact);
    assert_true(diff.runs[OT_DIFF_CANDIDATE][0].reasons.len > 0);
    assert_true(find(&diff, "x")->measures[OT_DIFF_CALLS].of[OT_DIFF_CANDIDATE] == INT64_MAX);
    const struct ot_diff_aggregate *calls = ot_diff_find_aggregate(&diff, "calls");
    assert_int_equal(calls->kinds[OT_DIFF_BASELINE], OT_VALUE_EXACT);
    assert_int_equal(calls->kinds[OT_DIFF_CANDIDATE], OT_VALUE_LOWER_BOUND);
    ot_diff_release(&diff);
}

static void fewer_than_three_runs_have_no_interval(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){1, 2}, 2, (const int64_t[]){100, 107, 109}, 3);
    assert_false(diff.operators.rows[0].interval.is_there);
    assert_false(diff.trust.has_intervals);
    ot_diff_release(&diff);
}

static void an_interval_is_clear_of_0_only_where_the_sides_are_apart(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){100, 102, 101, 99, 100}, 5,
                 (const int64_t[]){120, 121, 119, 122, 120}, 5);
    const struct ot_diff_interval *interval = &diff.operators.rows[0].interval;
    assert_true(interval->is_there && interval->low >= 17 && interval->high <= 23);
    assert_true(ot_diff_is_evident(interval));
    assert_int_equal(diff.operators.n_evident, 1);
    ot_diff_release(&diff);

    diff = (struct ot_diff){0};
    compare_runs(&diff, (const int64_t[]){100, 130, 90, 110, 95}, 5,
                 (const int64_t[]){105, 92, 128, 99, 111}, 5);
    interval = &diff.operators.rows[0].interval;
    assert_true(interval->low < 0 && interval->high > 0);
    assert_false(ot_diff_is_evident(interval));
    ot_diff_release(&diff);
}

static void the_same_runs_give_the_same_interval(void **state)
{
    (void)state;
    struct ot_diff one = {0};
    struct ot_diff two = {0};
    compare_runs(&one, (const int64_t[]){5, 9, 1}, 3, (const int64_t[]){4, 30, 8, 2}, 4);
    compare_runs(&two, (const int64_t[]){5, 9, 1}, 3, (const int64_t[]){4, 30, 8, 2}, 4);
    assert_memory_equal(&one.operators.rows[0].interval, &two.operators.rows[0].interval,
                        sizeof(one.operators.rows[0].interval));
    assert_int_equal(one.trust.chance_thousandths, two.trust.chance_thousandths);
    ot_diff_release(&one);
    ot_diff_release(&two);
}

/* All three of one side above all of the other: 2 of the 20 ways to mix six. */
static void with_three_runs_a_tenth_of_intervals_are_clear_by_chance(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){1, 2, 3}, 3, (const int64_t[]){2, 3, 4}, 3);
    assert_in_range(diff.trust.chance_thousandths, 70, 130);
    ot_diff_release(&diff);
}

static void a_run_that_is_given_twice_counts_once(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made made;
    make(&made, "a");
    add_row(&made, "x", 1, 10);
    assert_false(add(&diff, OT_DIFF_BASELINE, &made));
    assert_true(add(&diff, OT_DIFF_BASELINE, &made));
    assert_false(add(&diff, OT_DIFF_CANDIDATE, &made));
    finish(&diff);
    assert_int_equal(diff.n_runs[OT_DIFF_BASELINE], 1);
    assert_int_equal(diff.n_twins[OT_DIFF_BASELINE], 1);
    assert_non_null(find_fact(&diff, OT_DIFF_SAME_TRACE));
    ot_diff_release(&diff);
}

/* --- what cannot be compared ---------------------------------------------------------------------
 */

static void what_differs_beside_the_program_is_told_and_what_nobody_knows_too(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made before;
    struct made after;
    make(&before, "a");
    make(&after, "b");
    add_row(&before, "x", 1, 10);
    add_row(&after, "x", 1, 10);
    before.sessions[0].devices = ot_text_of("A100\nV100\nA100");
    after.sessions[0].devices = ot_text_of("A100");
    before.sessions[0].torch = ot_text_of("1.13.1");
    after.coverage[0].is_there = true;
    after.analysis.counts.truncated_inputs = 1;
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    finish(&diff);
    const struct ot_diff_fact *fact = find_fact(&diff, OT_DIFF_DEVICES);
    assert_false(fact->is_unknown);
    assert_string_equal(fact->of[0].bytes, "2 x A100, 1 x V100");
    assert_string_equal(fact->of[1].bytes, "1 x A100");
    fact = find_fact(&diff, OT_DIFF_TORCH);
    assert_true(fact->is_unknown);
    assert_string_equal(fact->of[1].bytes, "unknown");
    assert_true(find_fact(&diff, OT_DIFF_HOST)->is_unknown);
    assert_false(find_fact(&diff, OT_DIFF_HAS_PYTHON_STACKS)->is_unknown);
    assert_non_null(strstr(find_fact(&diff, OT_DIFF_INCOMPLETE)->of[1].bytes, "1 input"));
    /* The same on both sides, or neither of a job. */
    assert_null(find_fact(&diff, OT_DIFF_RECORDING));
    assert_null(find_fact(&diff, OT_DIFF_RANKS));
    assert_null(find_fact(&diff, OT_DIFF_SESSIONS));
    ot_diff_release(&diff);
}

static void other_shapes_are_counted_and_lists_that_were_cut_are_not_guessed(void **state)
{
    (void)state;
    static struct ot_shapes_row small = {{"[[2]]", 5}, 1};
    static struct ot_shapes_row large = {{"[[9]]", 5}, 1};
    struct ot_diff diff = {0};
    struct made made[OT_DIFF_SIDES];
    make(&made[0], "a");
    make(&made[1], "b");
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        struct ot_operator_row *same = add_row(&made[side], "same", 1, 10);
        same->shapes = &small;
        same->n_shapes = same->n_shapes_returned = 1;
        struct ot_operator_row *other = add_row(&made[side], "other", 1, 20 + side);
        other->shapes = side ? &large : &small;
        other->n_shapes = other->n_shapes_returned = 1;
        struct ot_operator_row *many = add_row(&made[side], "many", 1, 30);
        many->shapes = side ? &large : &small;
        many->n_shapes = 11;
        many->n_shapes_returned = 1;
        add(&diff, (enum ot_diff_side)side, &made[side]);
    }
    finish(&diff);
    assert_int_equal(diff.shapes.n_common, 3);
    assert_int_equal(diff.shapes.n_other, 1);
    assert_int_equal(diff.shapes.n_unknown, 1);
    assert_int_equal(diff.shapes.other_ns[1], 21);
    assert_non_null(find_fact(&diff, OT_DIFF_INPUT_SHAPES));
    ot_diff_release(&diff);
}

/* --- the gate ------------------------------------------------------------------------------------
 */

static enum ot_diff_verdict judge(struct ot_diff *diff, const char *text)
{
    struct ot_err err = {""};
    struct ot_diff_gate gate;
    assert_int_equal(ot_diff_gate_parse(text, &gate, &err), OT_OK);
    int code = ot_diff_gate_judge(diff, &gate, &err);
    if (code < 0)
        fail_msg("%s", err.msg);
    return gate.verdict;
}

static void growth_up_to_the_limit_passes(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){1000}, 1, (const int64_t[]){1100}, 1);
    assert_int_equal(judge(&diff, "10%"), OT_DIFF_PASS);
    assert_int_equal(judge(&diff, "9.999"), OT_DIFF_FAIL);
    assert_int_equal(judge(&diff, "x=10"), OT_DIFF_PASS);
    assert_int_equal(judge(&diff, "x=.5%"), OT_DIFF_FAIL);
    ot_diff_release(&diff);
}

static void what_was_not_there_before_grows_by_more_than_any_percentage(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){0}, 1, (const int64_t[]){1}, 1);
    assert_int_equal(judge(&diff, "1000000%"), OT_DIFF_FAIL);
    ot_diff_release(&diff);
}

static void with_intervals_the_low_end_has_to_be_above_the_limit(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    compare_runs(&diff, (const int64_t[]){100, 101, 99}, 3, (const int64_t[]){105, 130, 160}, 3);
    assert_int_equal(judge(&diff, "0%"), OT_DIFF_FAIL);
    assert_int_equal(judge(&diff, "10%"), OT_DIFF_PASS);
    ot_diff_release(&diff);
}

static void an_incomplete_side_cannot_be_judged(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made made;
    make(&made, "a");
    add_row(&made, "x", 1, 10);
    add(&diff, OT_DIFF_BASELINE, &made);
    made.artifacts[0] = "b";
    made.analysis.counts.damaged_events = 2;
    add(&diff, OT_DIFF_CANDIDATE, &made);
    finish(&diff);
    assert_int_equal(judge(&diff, "50%"), OT_DIFF_UNKNOWN);
    assert_int_equal(judge(&diff, "x=50%"), OT_DIFF_UNKNOWN);
    ot_diff_release(&diff);
}

static void a_run_in_which_nothing_ran_cannot_be_judged(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made made;
    make(&made, "b");
    add(&diff, OT_DIFF_CANDIDATE, &made);
    made.artifacts[0] = "a";
    add_row(&made, "x", 1, 10);
    add(&diff, OT_DIFF_BASELINE, &made);
    finish(&diff);
    assert_int_equal(judge(&diff, "50%"), OT_DIFF_UNKNOWN);
    assert_string_equal(find_fact(&diff, OT_DIFF_OPERATORS)->of[1].bytes, "nothing took time");
    ot_diff_release(&diff);
}

static void hardly_the_same_program_cannot_be_judged_but_an_operator_of_it_can(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made before;
    struct made after;
    make(&before, "a");
    make(&after, "b");
    add_row(&before, "x", 1, 10);
    add_row(&before, "gone", 1, 1000);
    add_row(&after, "x", 1, 10);
    add(&diff, OT_DIFF_BASELINE, &before);
    add(&diff, OT_DIFF_CANDIDATE, &after);
    finish(&diff);
    assert_int_equal(judge(&diff, "5%"), OT_DIFF_UNKNOWN);
    assert_int_equal(judge(&diff, "x=5%"), OT_DIFF_PASS);
    assert_int_equal(judge(&diff, "none=5%"), OT_DIFF_UNKNOWN);
    ot_diff_release(&diff);
}

static void what_another_recorder_measured_cannot_be_judged(void **state)
{
    (void)state;
    struct ot_diff diff = {0};
    struct made made;
    make(&made, "a");
    add_row(&made, "x", 1, 10);
    add_of(&diff, OT_DIFF_BASELINE, &made, "kineto");
    made.artifacts[0] = "b";
    add_of(&diff, OT_DIFF_CANDIDATE, &made, "oplog");
    finish(&diff);
    assert_int_equal(judge(&diff, "5%"), OT_DIFF_UNKNOWN);
    assert_int_equal(judge(&diff, "x=5%"), OT_DIFF_UNKNOWN);
    ot_diff_release(&diff);
}

static void gates_that_make_no_sense_are_misuse(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "%", "x", "=5%", "5%%", "-5%", "1.2345%", "x=", ".", "99999999999999999999%", "5 %"};
    struct ot_err err;
    struct ot_diff_gate gate;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(ot_diff_gate_parse(wrong[i], &gate, &err), OT_ERR_USAGE);
    assert_int_equal(ot_diff_gate_parse("a=b=5%", &gate, &err), OT_OK);
    assert_true(ot_text_same(gate.name, ot_text_of("a=b")));

    struct ot_diff diff = {.measure = OT_DIFF_INCLUSIVE};
    compare_runs(&diff, (const int64_t[]){1}, 1, (const int64_t[]){2}, 1);
    assert_int_equal(ot_diff_gate_check(&gate, diff.measure, &err), OT_OK);
    assert_int_equal(ot_diff_gate_parse("5%", &gate, &err), OT_OK);
    assert_int_equal(ot_diff_gate_check(&gate, diff.measure, &err), OT_ERR_USAGE);
    assert_int_equal(ot_diff_gate_check(&gate, OT_DIFF_SELF, &err), OT_OK);
    assert_int_equal(judge(&diff, "x=5%"), OT_DIFF_FAIL);
    ot_diff_release(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_calls_and_costlier_ones_are_told_apart),
        cmocka_unit_test(halves_go_to_the_even_number),
        cmocka_unit_test(what_is_new_or_gone_is_all_in_its_calls),
        cmocka_unit_test(parts_add_up_and_the_calls_part_is_the_nearest),
        cmocka_unit_test(the_largest_change_comes_first_and_all_of_them_make_the_whole),
        cmocka_unit_test(categories_and_sessions_of_an_operator_are_one),
        cmocka_unit_test(what_a_side_cannot_know_is_not_compared),
        cmocka_unit_test(medians_are_of_the_middle_two_and_round_down),
        cmocka_unit_test(values_below_0_have_medians_too),
        cmocka_unit_test(sums_that_64_bits_do_not_hold_are_lower_bounds),
        cmocka_unit_test(fewer_than_three_runs_have_no_interval),
        cmocka_unit_test(an_interval_is_clear_of_0_only_where_the_sides_are_apart),
        cmocka_unit_test(the_same_runs_give_the_same_interval),
        cmocka_unit_test(with_three_runs_a_tenth_of_intervals_are_clear_by_chance),
        cmocka_unit_test(a_run_that_is_given_twice_counts_once),
        cmocka_unit_test(what_differs_beside_the_program_is_told_and_what_nobody_knows_too),
        cmocka_unit_test(other_shapes_are_counted_and_lists_that_were_cut_are_not_guessed),
        cmocka_unit_test(growth_up_to_the_limit_passes),
        cmocka_unit_test(what_was_not_there_before_grows_by_more_than_any_percentage),
        cmocka_unit_test(with_intervals_the_low_end_has_to_be_above_the_limit),
        cmocka_unit_test(an_incomplete_side_cannot_be_judged),
        cmocka_unit_test(a_run_in_which_nothing_ran_cannot_be_judged),
        cmocka_unit_test(hardly_the_same_program_cannot_be_judged_but_an_operator_of_it_can),
        cmocka_unit_test(what_another_recorder_measured_cannot_be_judged),
        cmocka_unit_test(gates_that_make_no_sense_are_misuse),
    };
    return RUN(tests);
}
