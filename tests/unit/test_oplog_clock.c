#include "folder.h"

#include <string.h>

#include "ingest/oplog/clock.h"

enum { GHZ_24 = 24 }; /* a counter of 2.4 GHz: 24 ticks in 10 ns */

static const int64_t second = INT64_C(1000000000);

struct test_clock {
    struct ot_oplog_clocks clocks;
    struct ot_oplog_clock *clock;
};

static struct ot_oplog_header header_of(const char *boot_id, uint32_t kind)
{
    struct ot_oplog_header header = {.clock = kind};
    memcpy(header.boot_id, boot_id, strlen(boot_id));
    return header;
}

static struct test_clock clock_of(uint32_t kind)
{
    struct test_clock test = {0};
    struct ot_err err;
    struct ot_oplog_header header = header_of("a", kind);
    assert_int_equal(ot_oplog_clocks_find(&test.clocks, &header, &test.clock, &err), OT_OK);
    return test;
}

static void add(struct test_clock *test, uint64_t ticks, int64_t monotonic_ns, int64_t realtime_ns)
{
    struct ot_err err;
    struct ot_oplog_moment moment = {ticks, monotonic_ns, realtime_ns};
    assert_int_equal(ot_oplog_clock_add(&test->clocks, test->clock, &moment, &err), OT_OK);
}

static void settle(struct test_clock *test)
{
    struct ot_err err;
    assert_int_equal(ot_oplog_clocks_settle(&test->clocks, &err), OT_OK);
}

static int64_t ns(const struct test_clock *test, uint64_t ticks)
{
    return ot_oplog_clock_ns(test->clock, ticks);
}

static void ticks_between_two_moments_lie_on_a_line(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    add(&test, 24000, 5000, 105000);
    add(&test, 24000 + GHZ_24 * 100000000ull, 5000 + second, 105000 + second);
    settle(&test);
    assert_int_equal(ns(&test, 24000), 105000);
    assert_int_equal(ns(&test, 24024), 105010);
    assert_int_equal(ns(&test, 24000 + GHZ_24 * 50000000ull), 105000 + second / 2);
    assert_int_equal(ns(&test, 24000 + GHZ_24 * 1000000000ull), 105000 + 10 * second);
    assert_int_equal(ns(&test, 0), 95000); /* before the first moment, too */
    ot_oplog_clocks_release(&test.clocks);
}

static void each_stretch_has_a_slope_of_its_own(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    add(&test, 0, second, second);
    add(&test, 1000000000, 2 * second, 0);
    add(&test, 2000000000, 2 * second + second * 3 / 5, 0);
    settle(&test);
    assert_int_equal(ns(&test, 500000000), second + second / 2);
    assert_int_equal(ns(&test, 1500000000), 2 * second + second * 3 / 10);
    /* What comes after all moments lies on the line through all. */
    assert_int_equal(ns(&test, 4000000000), 2 * second + second * 3 / 5 + second * 8 / 5);
    ot_oplog_clocks_release(&test.clocks);
}

static void moments_close_together_draw_no_line_of_their_own(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    add(&test, 1000, 1000, 1000);
    add(&test, 1100, 1900, 0); /* 800 ns late */
    add(&test, 1000 + 2000000000, 1000 + 2 * second, 0);
    add(&test, 1000 + 2000000010, 1000 + 2 * second + 900, 0);
    settle(&test);
    /* The last one of all is kept, so that the line ends where the events do. */
    assert_in_range(ns(&test, 1100), 1100, 1101);
    assert_in_range(ns(&test, 1000 + 1000000000), 1000 + second, 1000 + second + 450);
    ot_oplog_clocks_release(&test.clocks);
}

static void a_short_program_has_a_short_line(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    add(&test, 1000, 1000, 1000);
    add(&test, 3000, 2000, 2000);
    settle(&test);
    assert_int_equal(ns(&test, 2000), 1500);
    ot_oplog_clocks_release(&test.clocks);
}

static void counted_ticks_need_two_moments(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_CNTVCT);
    struct ot_err err;
    add(&test, 1000, 1000, 1000);
    add(&test, 1000, 1000, 1000);
    assert_int_equal(ot_oplog_clocks_settle(&test.clocks, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "no two moments"));
    ot_oplog_clocks_release(&test.clocks);
}

static void nanoseconds_need_none(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_MONOTONIC);
    settle(&test);
    assert_int_equal(ns(&test, 12345), 12345);
    assert_int_equal(ns(&test, UINT64_MAX), INT64_MAX);
    add(&test, 50, 50, 1050);
    settle(&test);
    assert_int_equal(ns(&test, 12345), 13345);
    ot_oplog_clocks_release(&test.clocks);
}

/* The calendar's clock was set back while the program ran. */
static void the_epoch_is_that_of_the_boots_earliest_moment(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_MONOTONIC);
    struct test_clock other = test;
    struct ot_oplog_header header = header_of("a", OT_OPLOG_CLOCK_TSC);
    struct ot_err err;
    assert_int_equal(ot_oplog_clocks_find(&test.clocks, &header, &other.clock, &err), OT_OK);
    other.clocks = test.clocks;
    add(&other, 0, 2 * second, 50 * second);
    add(&other, 10, 3 * second, 51 * second);
    test.clocks = other.clocks;
    add(&test, (uint64_t)second, second, 101 * second);
    settle(&test);
    assert_int_equal(ns(&test, (uint64_t)second), 101 * second);
    other.clocks = test.clocks;
    assert_int_equal(ns(&other, 0), 102 * second);
    ot_oplog_clocks_release(&test.clocks);
}

static void boots_have_nothing_in_common(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    struct ot_oplog_clock *same = NULL;
    struct ot_oplog_clock *of_b = NULL;
    struct ot_oplog_clock *lone[2] = {NULL};
    struct ot_oplog_header a = header_of("a", OT_OPLOG_CLOCK_TSC);
    struct ot_oplog_header b = header_of("b", OT_OPLOG_CLOCK_TSC);
    struct ot_oplog_header unknown = header_of("", OT_OPLOG_CLOCK_TSC);
    struct ot_err err;
    assert_int_equal(ot_oplog_clocks_find(&test.clocks, &a, &same, &err), OT_OK);
    assert_int_equal(ot_oplog_clocks_find(&test.clocks, &b, &of_b, &err), OT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ot_oplog_clocks_find(&test.clocks, &unknown, &lone[i], &err), OT_OK);
    assert_ptr_equal(same, test.clock);
    assert_ptr_not_equal(of_b, test.clock);
    assert_ptr_not_equal(lone[0], lone[1]);
    ot_oplog_clocks_release(&test.clocks);
}

static void moments_that_contradict_each_other_never_turn_time_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
        for (int i = 0; i < 20; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1;
            uint64_t ticks = seed >> (round % 50);
            seed = seed * UINT64_C(6364136223846793005) + 1;
            add(&test, ticks, (int64_t)(seed >> (1 + round % 40)), (int64_t)seed);
        }
        struct ot_err err;
        int64_t before = INT64_MIN;
        bool is_settled = ot_oplog_clocks_settle(&test.clocks, &err) == OT_OK;
        for (unsigned i = 0; i < 1000 && is_settled; i++) {
            const struct ot_oplog_span *first = &test.clock->spans[1];
            uint64_t ticks = first->from + (UINT64_MAX - first->from) / 1000 * i;
            assert_true(ns(&test, ticks) >= before);
            before = ns(&test, ticks);
        }
        ot_oplog_clocks_release(&test.clocks);
    }
}

/* --- the file ----------------------------------------------------------------------------------
 */

static int read_file(struct test_clock *test, const char *text, struct ot_err *err)
{
    put_file("optally.clock", text, strlen(text));
    return ot_oplog_clocks_add_file(&test->clocks, in_folder("optally.clock"), err);
}

static void a_clock_file_has_moments_of_its_boot(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    struct ot_err err;
    assert_int_equal(read_file(&test,
                               "optally clock 1\nboot a\nclock 1\n0 1000 5000\n"
                               "2000000000 1000001000 1000005000\n99 9",
                               &err),
                     OT_OK);
    settle(&test);
    assert_int_equal(test.clock->n_moments, 2);
    assert_int_equal(ns(&test, 1000), 5500);
    ot_oplog_clocks_release(&test.clocks);
}

static void no_clock_file_says_nothing(void **state)
{
    (void)state;
    struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
    struct ot_err err;
    assert_int_equal(ot_oplog_clocks_add_file(&test.clocks, in_folder("optally.clock"), &err),
                     OT_OK);
    assert_int_equal(read_file(&test, "", &err), OT_OK);
    assert_int_equal(read_file(&test, "optally clock 1\nboot ", &err), OT_OK);
    assert_int_equal(test.clock->n_moments, 0);
    ot_oplog_clocks_release(&test.clocks);
}

static void a_clock_file_of_other_words_is_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } faults[] = {
        {"optally clock 2\n", "line 1: not 'optally clock 1'"},
        {"optally clock 1\nbooted a\n", "line 2: not 'boot'"},
        {"optally clock 1\nboot a\nclock x\n", "line 3: not 'clock'"},
        {"optally clock 1\nboot a\nclock 1\n1 2\n", "line 4: not a moment"},
        {"optally clock 1\nboot a\nclock 1\n1 2 3 4\n", "line 4: not a moment"},
        {"optally clock 1\nboot a\nclock 1\n1 2 3\nx\n", "line 5: not a moment"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaa"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
         "line 1: too long"},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct test_clock test = clock_of(OT_OPLOG_CLOCK_TSC);
        struct ot_err err;
        assert_int_equal(read_file(&test, faults[i].text, &err), OT_ERR_DAMAGED);
        assert_non_null(strstr(err.msg, faults[i].sentence));
        ot_oplog_clocks_release(&test.clocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_between_two_moments_lie_on_a_line),
        cmocka_unit_test(each_stretch_has_a_slope_of_its_own),
        cmocka_unit_test(moments_close_together_draw_no_line_of_their_own),
        cmocka_unit_test(a_short_program_has_a_short_line),
        cmocka_unit_test(counted_ticks_need_two_moments),
        cmocka_unit_test(nanoseconds_need_none),
        cmocka_unit_test(the_epoch_is_that_of_the_boots_earliest_moment),
        cmocka_unit_test(boots_have_nothing_in_common),
        cmocka_unit_test(moments_that_contradict_each_other_never_turn_time_back),
        IN_FOLDER(a_clock_file_has_moments_of_its_boot),
        IN_FOLDER(no_clock_file_says_nothing),
        IN_FOLDER(a_clock_file_of_other_words_is_damaged),
    };
    return RUN(tests);
}
