#include "test.h"

#include "stats/completeness.h"

static void assert_reasons(const struct ot_counts *counts, const char *expected)
{
    struct ot_str all = {0};
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS; i++) {
        struct ot_str reason = {0};
        if (ot_completeness_reason(counts, i, &reason))
            ot_str_addf(&all, "%s%s", all.len ? "; " : "", ot_str_borrow(&reason));
        ot_str_release(&reason);
    }
    assert_string_equal(ot_str_borrow(&all), expected);
    ot_str_release(&all);
}

static void nothing_lost_is_exact(void **state)
{
    (void)state;
    struct ot_counts counts = {.events_read = 12};
    assert_true(ot_completeness_exact(&counts));
    assert_reasons(&counts, "");
}

static void what_was_lost_is_said_in_words(void **state)
{
    (void)state;
    struct ot_counts counts = {.discarded_events = 1, .unmatched_exits = 2, .unclosed_entries = 1};
    assert_false(ot_completeness_exact(&counts));
    assert_reasons(&counts, "1 event was discarded by the tracer; 2 calls ended that were never "
                            "seen to begin; 1 call began that was never seen to end");
}

static void names_that_were_not_kept_make_a_lower_bound(void **state)
{
    (void)state;
    struct ot_counts counts = {.lost_names = 1};
    assert_false(ot_completeness_exact(&counts));
    assert_reasons(&counts, "1 name found no room: its calls count under (name not kept)");
    counts.lost_names = 2;
    assert_reasons(&counts, "2 names found no room: their calls count under (name not kept)");
}

static void an_unknown_number_is_a_lower_bound_itself(void **state)
{
    (void)state;
    struct ot_counts counts = {.discarded_events = 4, .discarded_unknown = 1};
    assert_reasons(&counts, "at least 4 events were discarded by the tracer");
}

static void counts_add_up_and_stop_at_the_limit(void **state)
{
    (void)state;
    struct ot_counts sum = {.events_read = UINT64_MAX, .silent_sources = 1};
    struct ot_counts more = {.events_read = 2, .silent_sources = 2, .lost_entries = 3};
    ot_counts_add(&sum, &more);
    assert_int_equal(sum.events_read, UINT64_MAX);
    assert_int_equal(sum.silent_sources, 3);
    assert_int_equal(sum.lost_entries, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_lost_is_exact),
        cmocka_unit_test(what_was_lost_is_said_in_words),
        cmocka_unit_test(names_that_were_not_kept_make_a_lower_bound),
        cmocka_unit_test(an_unknown_number_is_a_lower_bound_itself),
        cmocka_unit_test(counts_add_up_and_stop_at_the_limit),
    };
    return RUN(tests);
}
