#include "pairing.h"

static void children_come_off_self_time(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 10, "b");
    ENTER(&p, 12, "c");
    LEAVE(&p, 15, "c");
    LEAVE(&p, 20, "b");
    ENTER(&p, 30, "b");
    LEAVE(&p, 31, "b");
    LEAVE(&p, 100, "a");
    pairing_end(&p, "c 12+3 3; b 10+10 7; b 30+1 1; a 0+100 89");
}

static void recursion_closes_the_innermost(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 1, "a");
    LEAVE(&p, 3, "a");
    LEAVE(&p, 9, "a");
    pairing_end(&p, "a 1+2 2; a 0+9 7");
}

static void an_outer_exit_closes_inner_entries_as_lost(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 1, "lost");
    ENTER(&p, 2, "child");
    LEAVE(&p, 5, "child");
    LEAVE(&p, 9, "a");
    struct ot_counts counts = pairing_end(&p, "child 2+3 3; lost?; a 0+9 6");
    assert_int_equal(counts.lost_entries, 1);
    assert_int_equal(counts.unclosed_entries, 1);
    assert_int_equal(counts.unmatched_exits, 0);
}

static void an_exit_without_entry_is_a_failed_slice(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    LEAVE(&p, 5, "a");
    ENTER(&p, 6, "b");
    LEAVE(&p, 7, "a");
    LEAVE(&p, 9, "b");
    struct ot_counts counts = pairing_end(&p, "a!; a!; b 6+3 3");
    assert_int_equal(counts.unmatched_exits, 2);
    assert_int_equal(counts.unclosed_entries, 0);
    assert_int_equal(counts.events_read, 4);
}

static void what_is_open_at_the_end_is_reported_innermost_first(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 1, "b");
    p.vtid = 2;
    ENTER(&p, 2, "c");
    struct ot_counts counts = pairing_end(&p, "b?; a?; c?");
    assert_int_equal(counts.unclosed_entries, 3);
    assert_int_equal(counts.lost_entries, 0);
}

static void threads_do_not_see_each_other(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    p.vtid = 2;
    ENTER(&p, 1, "b");
    p.vtid = 1;
    LEAVE(&p, 2, "a");
    p.vtid = 2;
    LEAVE(&p, 5, "b");
    pairing_end(&p, "a 0+2 2; b 1+4 4");
}

static void the_same_name_of_another_backend_is_another_call(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    struct ot_event event = {.kind = OT_EVENT_EXIT,
                             .backend = 7,
                             .ts_ns = 1,
                             .vpid = 1,
                             .vtid = 1,
                             .host = ot_text_of("h"),
                             .name = ot_text_of("a")};
    struct ot_err err;
    assert_int_equal(ot_pair_feed(p.pair, &event, &err), OT_OK);
    pairing_take(&p);
    LEAVE(&p, 2, "a");
    pairing_end(&p, "a!; a 0+2 2");
}

static void time_that_goes_backwards_is_held_and_counted(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 10, "a");
    LEAVE(&p, 5, "a");
    p.vtid = 2;
    ENTER(&p, 1, "b");
    LEAVE(&p, 2, "b");
    struct ot_counts counts = pairing_end(&p, "a 10+0 0; b 1+1 1");
    assert_int_equal(counts.backward_times, 1);
}

static void extreme_timestamps_do_not_overflow(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, INT64_MIN, "a");
    ENTER(&p, INT64_MIN, "b");
    LEAVE(&p, INT64_MAX, "b");
    LEAVE(&p, INT64_MAX, "a");
    pairing_end(&p, "b -9223372036854775808+9223372036854775807 9223372036854775807; "
                    "a -9223372036854775808+9223372036854775807 0");
}

static void other_events_are_read_and_discarded_ones_are_not(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    pairing_feed(&p, OT_EVENT_OTHER, 1, "mark");
    pairing_feed(&p, OT_EVENT_DISCARDED, 2, "");
    struct ot_counts counts = pairing_end(&p, "");
    assert_int_equal(counts.events_read, 1);
    assert_int_equal(counts.discarded_events, 3);
}

static void depth_is_bounded_and_nothing_is_lost_in_silence(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    size_t n_beyond = 5;
    for (size_t i = 0; i < OT_PAIR_MAX_DEPTH + n_beyond; i++)
        ENTER(&p, 1, "a");
    struct ot_counts counts = pairing_end(&p, NULL);
    assert_int_equal(counts.unclosed_entries, OT_PAIR_MAX_DEPTH + n_beyond);
}

static void an_entry_too_far_down_is_not_looked_for(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "deep");
    for (int i = 0; i < OT_PAIR_MAX_RESYNC; i++)
        ENTER(&p, 1, "a");
    LEAVE(&p, 2, "deep");
    struct ot_counts counts = pairing_end(&p, NULL);
    assert_int_equal(counts.unmatched_exits, 1);
    assert_int_equal(counts.unclosed_entries, OT_PAIR_MAX_RESYNC + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_come_off_self_time),
        cmocka_unit_test(recursion_closes_the_innermost),
        cmocka_unit_test(an_outer_exit_closes_inner_entries_as_lost),
        cmocka_unit_test(an_exit_without_entry_is_a_failed_slice),
        cmocka_unit_test(what_is_open_at_the_end_is_reported_innermost_first),
        cmocka_unit_test(threads_do_not_see_each_other),
        cmocka_unit_test(the_same_name_of_another_backend_is_another_call),
        cmocka_unit_test(time_that_goes_backwards_is_held_and_counted),
        cmocka_unit_test(extreme_timestamps_do_not_overflow),
        cmocka_unit_test(other_events_are_read_and_discarded_ones_are_not),
        cmocka_unit_test(depth_is_bounded_and_nothing_is_lost_in_silence),
        cmocka_unit_test(an_entry_too_far_down_is_not_looked_for),
    };
    return RUN(tests);
}
