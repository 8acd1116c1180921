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

/* --- exact ends ----------------------------------------------------------------------------- */

static void an_exact_end_leaves_open_what_is_above(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "parent");
    ENTER(&p, 10, "ends");
    ENTER(&p, 20, "goes on");
    pairing_end_exactly(&p, 30, "ends", 10);
    LEAVE(&p, 50, "goes on");
    LEAVE(&p, 100, "parent");
    struct ot_counts counts = pairing_end(&p, "ends 10+20 10; goes on 20+30 30; parent 0+100 60");
    assert_int_equal(counts.unclosed_entries, 0);
    assert_int_equal(counts.unmatched_exits, 0);
}

static void an_exact_end_can_be_of_the_outermost_or_the_innermost(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 10, "b");
    ENTER(&p, 11, "c");
    pairing_end_exactly(&p, 15, "c", 11);
    pairing_end_exactly(&p, 20, "a", 0);
    LEAVE(&p, 30, "b");
    pairing_end(&p, "c 11+4 4; a 0+20 10; b 10+20 16");
}

static void of_calls_with_one_name_an_exact_end_takes_the_one_that_it_names(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 1, "a");
    ENTER(&p, 2, "a");
    pairing_end_exactly(&p, 5, "a", 1);
    LEAVE(&p, 6, "a");
    pairing_end_exactly(&p, 9, "a", 0);
    pairing_end(&p, "a 1+4 1; a 2+4 4; a 0+9 4");
}

static void an_exact_end_of_what_is_not_open_is_a_failed_slice(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 5, "a");
    pairing_end_exactly(&p, 6, "a", 4);
    pairing_end_exactly(&p, 6, "a", 6);
    pairing_end_exactly(&p, 6, "b", 5);
    LEAVE(&p, 7, "a");
    struct ot_counts counts = pairing_end(&p, "a!; a!; b!; a 5+2 2");
    assert_int_equal(counts.unmatched_exits, 3);
}

static void an_exact_end_names_the_time_that_the_entry_told(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 10, "a");
    ENTER(&p, 5, "b"); /* is moved to 10 */
    pairing_end_exactly(&p, 20, "b", 5);
    LEAVE(&p, 30, "a");
    pairing_end(&p, "b 10+10 10; a 10+20 10");
}

static void what_is_lost_above_an_exact_end_counts_no_time_twice(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 10, "b");
    ENTER(&p, 20, "lost");
    ENTER(&p, 22, "c");
    LEAVE(&p, 26, "c");
    pairing_end_exactly(&p, 30, "b", 10);
    ENTER(&p, 40, "d");
    LEAVE(&p, 45, "d");
    LEAVE(&p, 100, "a");
    pairing_end(&p, "c 22+4 4; b 10+20 10; d 40+5 5; lost?; a 0+100 75");
}

static void depth_is_counted_where_the_call_was(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    ENTER(&p, 0, "a");
    ENTER(&p, 1, "b");
    ENTER(&p, 2, "c");
    struct ot_event event = pairing_event(&p, OT_EVENT_EXIT, 3, "b");
    event.ends_exactly = true;
    event.began_ns = 1;
    struct ot_err err;
    struct ot_paired paired;
    assert_int_equal(ot_pair_feed(p.pair, &event, &err), OT_OK);
    assert_int_equal(ot_pair_next(p.pair, &paired), OT_OK);
    assert_int_equal(paired.slice.depth, 1);
    assert_int_equal(ot_pair_next(p.pair, &paired), OT_END);
    pairing_end(&p, "c?; a?");
}

/* Random programs on one thread. What the reference says: each moment belongs to the call that is
 * on top, whichever calls end below it. */
enum { MAX_CALLS = 4000 };

struct program {
    struct pairing pairing;
    uint64_t seed;
    int64_t now_ns;
    struct call {
        int64_t began_ns;
        int64_t self_ns;
        char name[2];
    } calls[MAX_CALLS]; /* those that are open */
    size_t n_open;
    int64_t sum_ns;
};

static unsigned pick(struct program *program, unsigned n)
{
    program->seed = program->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(program->seed >> 33) % n;
}

static void pass_time(struct program *program)
{
    int64_t ns = pick(program, 4);
    if (program->n_open)
        program->calls[program->n_open - 1].self_ns += ns;
    program->now_ns += ns;
}

/* Feeds, and compares the self time of what ended with `expected_ns`; -1: whatever. */
static void feed(struct program *program, const struct ot_event *event, int64_t expected_ns)
{
    struct ot_paired paired;
    struct ot_err err;
    assert_int_equal(ot_pair_feed(program->pairing.pair, event, &err), OT_OK);
    while (ot_pair_next(program->pairing.pair, &paired) == OT_OK) {
        if (paired.kind != OT_PAIRED_SLICE)
            continue;
        program->sum_ns += paired.slice.self_ns;
        assert_true(paired.slice.self_ns >= 0 && paired.slice.self_ns <= paired.slice.dur_ns);
        if (expected_ns >= 0)
            assert_int_equal(paired.slice.self_ns, expected_ns);
    }
}

static void enter_one(struct program *program)
{
    struct call *call = &program->calls[program->n_open++];
    *call = (struct call){.began_ns = program->now_ns, .name = {(char)('a' + pick(program, 3))}};
    struct ot_event event =
        pairing_event(&program->pairing, OT_EVENT_ENTRY, program->now_ns, call->name);
    feed(program, &event, -1);
}

static void leave_one(struct program *program, bool is_exact)
{
    size_t at = is_exact ? pick(program, (unsigned)program->n_open) : program->n_open - 1;
    struct call call = program->calls[at];
    /* Of calls that are alike, the newest ends; so that one is meant. */
    for (size_t i = at + 1; i < program->n_open; i++) {
        if (program->calls[i].began_ns == call.began_ns &&
            program->calls[i].name[0] == call.name[0])
            call = program->calls[at = i];
    }
    memmove(&program->calls[at], &program->calls[at + 1],
            (program->n_open - at - 1) * sizeof(call));
    program->n_open--;
    struct ot_event event =
        pairing_event(&program->pairing, OT_EVENT_EXIT, program->now_ns, call.name);
    event.ends_exactly = is_exact;
    event.began_ns = call.began_ns;
    feed(program, &event, call.self_ns);
}

static void each_moment_is_the_self_time_of_the_call_on_top(void **state)
{
    (void)state;
    static struct program program;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        program = (struct program){.seed = seed};
        pairing_begin(&program.pairing);
        for (int step = 0; step < 2000; step++) {
            pass_time(&program);
            if (program.n_open == 0 || (program.n_open < MAX_CALLS && pick(&program, 2)))
                enter_one(&program);
            else
                leave_one(&program, pick(&program, 2));
        }
        while (program.n_open) {
            pass_time(&program);
            leave_one(&program, true);
        }
        struct ot_counts counts = pairing_end(&program.pairing, "");
        assert_int_equal(counts.unclosed_entries + counts.unmatched_exits, 0);
    }
}

static void self_times_never_exceed_the_time_of_their_thread(void **state)
{
    (void)state;
    static struct program program;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        program = (struct program){.seed = seed};
        pairing_begin(&program.pairing);
        for (int step = 0; step < 1000; step++) {
            program.now_ns += pick(&program, 4);
            char name[2] = {(char)('a' + pick(&program, 4))};
            struct ot_event event =
                pairing_event(&program.pairing, pick(&program, 2) ? OT_EVENT_ENTRY : OT_EVENT_EXIT,
                              program.now_ns - (pick(&program, 9) == 0), name);
            event.ends_exactly = pick(&program, 2);
            event.began_ns = program.now_ns - pick(&program, 20);
            feed(&program, &event, -1);
        }
        assert_true(program.sum_ns <= program.now_ns);
        pairing_end(&program.pairing, NULL);
    }
}

/* --- gaps, keys ------------------------------------------------------------------------------ */

static void a_gap_closes_what_is_open_on_its_thread_alone(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    static const struct {
        uint32_t key;
        int backend;
        const char *name;
    } entries[] = {{1, 10, "a"}, {1, 10, "b"}, {2, 10, "c"}, {1, 11, "step"}};
    for (size_t i = 0; i < 4; i++) {
        struct ot_event event = pairing_event(&p, OT_EVENT_ENTRY, 1, entries[i].name);
        event.thread_key = entries[i].key;
        event.backend = entries[i].backend;
        pairing_feed_event(&p, &event);
    }
    struct ot_event gap = pairing_event(&p, OT_EVENT_DISCARDED, 2, "");
    gap.is_gap = true;
    gap.thread_key = 1;
    pairing_feed_event(&p, &gap);
    gap.thread_key = 9; /* of which nothing was seen */
    pairing_feed_event(&p, &gap);
    struct ot_event event = pairing_event(&p, OT_EVENT_EXIT, 5, "c");
    event.thread_key = 2;
    pairing_feed_event(&p, &event);
    struct ot_counts counts = pairing_end(&p, "b?; a?; step?; c 1+4 4");
    assert_int_equal(counts.unclosed_entries, 3);
    assert_int_equal(counts.lost_entries, 0);
    assert_int_equal(counts.discarded_events, 6);
}

static void threads_with_one_number_and_two_keys_do_not_see_each_other(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    struct ot_event event = pairing_event(&p, OT_EVENT_ENTRY, 1, "a");
    event.thread_key = 1;
    pairing_feed_event(&p, &event);
    event.kind = OT_EVENT_EXIT;
    event.thread_key = 2;
    pairing_feed_event(&p, &event);
    pairing_end(&p, "a!; a?");
}

static void a_key_stands_for_its_name(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    struct ot_event event = pairing_event(&p, OT_EVENT_ENTRY, 1, "a");
    event.name_key = 7;
    pairing_feed_event(&p, &event);
    ENTER(&p, 2, "a");
    event.ts_ns = 3;
    event.kind = OT_EVENT_EXIT;
    pairing_feed_event(&p, &event);
    pairing_feed_event(&p, &event);
    pairing_end(&p, "a 2+1 1; a 1+2 1");
}

static void a_slice_is_shown_as_its_entry_says(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    struct ot_event event = pairing_event(&p, OT_EVENT_ENTRY, 1, "a");
    event.shown_as = ot_text_of("a <- b");
    pairing_feed_event(&p, &event);
    LEAVE(&p, 2, "a");
    pairing_feed_event(&p, &event);
    pairing_end(&p, "a <- b 1+1 1; a <- b?");
}

static void a_slice_has_the_shapes_that_its_entry_told(void **state)
{
    (void)state;
    struct pairing p;
    pairing_begin(&p);
    struct ot_event_args args = {.shapes = ot_text_of("[[2, 3]]")};
    struct ot_event event = pairing_event(&p, OT_EVENT_ENTRY, 1, "a");
    struct ot_paired paired;
    struct ot_err err;
    event.args = &args;
    pairing_feed_event(&p, &event);
    ENTER(&p, 2, "b");
    uint32_t expected[] = {0, 1};
    const char *names[] = {"b", "a"};
    assert_int_equal(ot_names_intern(&p.names, args.shapes, &expected[1], &err), OT_OK);
    expected[1]++;
    for (int i = 0; i < 2; i++) {
        event = pairing_event(&p, OT_EVENT_EXIT, 3, names[i]);
        assert_int_equal(ot_pair_feed(p.pair, &event, &err), OT_OK);
        assert_int_equal(ot_pair_next(p.pair, &paired), OT_OK);
        assert_int_equal(paired.slice.shapes, expected[i]);
        assert_int_equal(ot_pair_next(p.pair, &paired), OT_END);
    }
    pairing_end(&p, "");
}

/* Entries, and what has ended, with the tag that its entry was given: 1, 2, ... */
static const char *tell_begins(const struct ot_event *events, size_t n)
{
    static struct ot_str log;
    struct pairing p;
    struct ot_err err;
    struct ot_paired paired;
    uint64_t tag = 0;
    pairing_begin(&p);
    ot_pair_want_begins(p.pair);
    ot_str_clear(&log);
    for (size_t i = 0; i <= n; i++) {
        if (i == n)
            ot_pair_end(p.pair);
        else
            assert_int_equal(ot_pair_feed(p.pair, &events[i], &err), OT_OK);
        while (ot_pair_next(p.pair, &paired) == OT_OK) {
            static const char *const kinds[] = {"slice", "unclosed", "begin"};
            if (paired.kind == OT_PAIRED_BEGIN)
                ot_pair_tag(p.pair, ++tag);
            ot_str_addf(&log, "%s %s@%lld depth %u track %zu tag %llu%s; ", kinds[paired.kind],
                        ot_names_text(&p.names, paired.slice.name).bytes,
                        (long long)paired.slice.ts_ns, paired.slice.depth, paired.track,
                        paired.kind == OT_PAIRED_BEGIN ? (unsigned long long)tag
                                                       : (unsigned long long)paired.tag,
                        paired.kind == OT_PAIRED_SLICE && paired.crosses ? " crosses" : "");
            if (paired.kind == OT_PAIRED_UNCLOSED)
                ot_str_addf(&log, "by %d at %lld; ", paired.cause, (long long)paired.closed_ns);
        }
    }
    ot_pair_free(p.pair);
    ot_names_release(&p.names);
    return ot_str_borrow(&log);
}

static void entries_are_yielded_on_request_and_their_slices_bear_their_tags(void **state)
{
    (void)state;
    const struct pairing on_1 = {.vtid = 1};
    const struct pairing on_2 = {.vtid = 2};
    const struct ot_event events[] = {
        pairing_event(&on_1, OT_EVENT_ENTRY, 1, "a"), pairing_event(&on_1, OT_EVENT_ENTRY, 2, "b"),
        pairing_event(&on_2, OT_EVENT_ENTRY, 2, "c"), pairing_event(&on_1, OT_EVENT_EXIT, 1, "b"),
        pairing_event(&on_1, OT_EVENT_EXIT, 5, "a"),
    };
    assert_string_equal(tell_begins(events, 5), "begin a@1 depth 0 track 0 tag 1; "
                                                "begin b@2 depth 1 track 0 tag 2; "
                                                "begin c@2 depth 0 track 1 tag 3; "
                                                "slice b@2 depth 1 track 0 tag 2; "
                                                "slice a@1 depth 0 track 0 tag 1; "
                                                "unclosed c@2 depth 0 track 1 tag 3; by 2 at 2; ");
}

static void what_closed_an_entry_is_told(void **state)
{
    (void)state;
    const struct pairing on_1 = {.vtid = 1};
    struct ot_event gap = pairing_event(&on_1, OT_EVENT_DISCARDED, 0, "");
    struct ot_event across = pairing_event(&on_1, OT_EVENT_EXIT, 9, "c");
    gap.is_gap = true;
    gap.thread_key = 1;
    across.ends_exactly = true;
    across.began_ns = 5;
    struct ot_event events[] = {
        pairing_event(&on_1, OT_EVENT_ENTRY, 1, "a"),
        pairing_event(&on_1, OT_EVENT_ENTRY, 2, "b"),
        pairing_event(&on_1, OT_EVENT_EXIT, 4, "a"),
        pairing_event(&on_1, OT_EVENT_ENTRY, 5, "c"),
        pairing_event(&on_1, OT_EVENT_ENTRY, 7, "d"),
        across,
        gap,
    };
    for (size_t i = 0; i < 7; i++)
        events[i].thread_key = 1;
    assert_string_equal(tell_begins(events, 7), "begin a@1 depth 0 track 0 tag 1; "
                                                "begin b@2 depth 1 track 0 tag 2; "
                                                "unclosed b@2 depth 1 track 0 tag 2; by 0 at 4; "
                                                "slice a@1 depth 0 track 0 tag 1; "
                                                "begin c@5 depth 0 track 0 tag 3; "
                                                "begin d@7 depth 1 track 0 tag 4; "
                                                "slice c@5 depth 0 track 0 tag 3 crosses; "
                                                "unclosed d@7 depth 0 track 0 tag 4; by 1 at 9; ");
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
        cmocka_unit_test(an_exact_end_leaves_open_what_is_above),
        cmocka_unit_test(an_exact_end_can_be_of_the_outermost_or_the_innermost),
        cmocka_unit_test(of_calls_with_one_name_an_exact_end_takes_the_one_that_it_names),
        cmocka_unit_test(an_exact_end_of_what_is_not_open_is_a_failed_slice),
        cmocka_unit_test(an_exact_end_names_the_time_that_the_entry_told),
        cmocka_unit_test(what_is_lost_above_an_exact_end_counts_no_time_twice),
        cmocka_unit_test(depth_is_counted_where_the_call_was),
        cmocka_unit_test(each_moment_is_the_self_time_of_the_call_on_top),
        cmocka_unit_test(self_times_never_exceed_the_time_of_their_thread),
        cmocka_unit_test(a_gap_closes_what_is_open_on_its_thread_alone),
        cmocka_unit_test(threads_with_one_number_and_two_keys_do_not_see_each_other),
        cmocka_unit_test(a_key_stands_for_its_name),
        cmocka_unit_test(a_slice_is_shown_as_its_entry_says),
        cmocka_unit_test(a_slice_has_the_shapes_that_its_entry_told),
        cmocka_unit_test(entries_are_yielded_on_request_and_their_slices_bear_their_tags),
        cmocka_unit_test(what_closed_an_entry_is_told),
    };
    return RUN(tests);
}
