#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "fold/intake.h"
#include "fold/tables.h"
#include "stats/activity.h"

enum {
    OP = OT_BACKEND_PYTORCH,
    CALL = OT_BACKEND_RUNTIME,
    KERNEL = OT_BACKEND_DEVICE,
    RANGE = OT_BACKEND_ANNOTATION
};

/* --- bins ---------------------------------------------------------------------------------------
 */

static void bins_cover_the_span_without_a_gap(void **state)
{
    (void)state;
    static const struct ot_activity_span spans[] = {
        {7, 0, 100}, {3, -5, 5}, {240, 10, 20}, {1, 4, 4}, {4096, INT64_MIN, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        const struct ot_activity_span *span = &spans[i];
        assert_int_equal(ot_activity_bin_start(span, 0), span->start_ns);
        assert_int_equal(ot_activity_bin_start(span, span->n_bins), span->end_ns);
        for (uint32_t bin = 0; bin < span->n_bins; bin++)
            assert_true(ot_activity_bin_start(span, bin) <= ot_activity_bin_start(span, bin + 1));
    }
}

static void a_time_is_in_the_bin_that_has_begun_last(void **state)
{
    (void)state;
    static const struct ot_activity_span spans[] = {{7, 0, 100}, {3, -5, 5}, {240, 10, 20}};
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        const struct ot_activity_span *span = &spans[i];
        for (int64_t ts_ns = span->start_ns; ts_ns < span->end_ns; ts_ns++) {
            uint32_t bin = ot_activity_bin_of(span, ts_ns);
            assert_true(ot_activity_bin_start(span, bin) <= ts_ns);
            assert_true(ot_activity_bin_start(span, bin + 1) > ts_ns);
        }
    }
    assert_int_equal(ot_activity_bin_of(&spans[0], -1), 0);
    assert_int_equal(ot_activity_bin_of(&spans[0], 100), 6);
    assert_int_equal(ot_activity_bin_of(&spans[0], INT64_MAX), 6);
}

static void a_stretch_is_divided_to_the_nanosecond(void **state)
{
    (void)state;
    int64_t values[7] = {0};
    struct ot_activity_line line = {.span = {7, 0, 100}, .values = values};
    ot_activity_add_busy(&line, 13, 43); /* bins begin at 0, 14, 28, 42, ... */
    static const int64_t expected[7] = {1, 14, 14, 1, 0, 0, 0};
    assert_memory_equal(values, expected, sizeof(expected));
    ot_activity_add_busy(&line, -50, 5);
    ot_activity_add_busy(&line, 99, 1000);
    ot_activity_add_busy(&line, 60, 60);
    assert_int_equal(values[0], 6);
    assert_int_equal(values[6], 1);
    assert_int_equal(line.total, 36);
}

/* --- of slices ----------------------------------------------------------------------------------
 */

struct given {
    int backend;
    int64_t ts_ns;
    int64_t dur_ns;
    uint64_t vtid;
    int64_t device;
};

struct world {
    struct ot_population pop;
    struct ot_intake intake;
    struct ot_activity activity;
};

static void open_world(struct world *world, uint32_t n_bins)
{
    *world = (struct world){.activity = {.opts = {.n_bins = n_bins}}};
    world->intake.pop = &world->pop;
    world->intake.depth = OT_FOLD_ANALYSIS;
    world->intake.activity = &world->activity;
    assert_int_equal(ot_intake_init(&world->intake, NULL), OT_OK);
}

static void give(struct world *world, const struct given *given)
{
    struct ot_event_args args = {
        .category = ot_text_of("cat"), .has_device = true, .device = given->device};
    struct ot_event event = {
        .kind = OT_EVENT_SLICE,
        .backend = given->backend,
        .name = ot_text_of("name"),
        .ts_ns = given->ts_ns,
        .dur_ns = given->dur_ns,
        .vpid = 1,
        .vtid = given->vtid,
        .args = &args,
    };
    assert_int_equal(ot_intake_add_slice(&world->intake, &event, NULL), OT_OK);
}

static void give_memory(struct world *world, int64_t ts_ns, int64_t bytes, int64_t total)
{
    struct ot_event_args args = {
        .bytes = bytes, .has_total_allocated = total >= 0, .total_allocated = total};
    struct ot_event event = {.kind = OT_EVENT_MEMORY, .ts_ns = ts_ns, .vpid = 1, .args = &args};
    assert_int_equal(ot_intake_add_memory(&world->intake, &event, NULL), OT_OK);
}

static void fill(struct world *world)
{
    struct ot_err err;
    assert_int_equal(ot_tables_fill(&world->intake, &err), OT_OK);
    ot_intake_release(&world->intake);
}

static void close_world(struct world *world)
{
    ot_activity_release(&world->activity);
    ot_population_release(&world->pop);
}

static int64_t sum_of(const struct ot_activity *activity, enum ot_activity_kind kind)
{
    int64_t sum = 0;
    for (size_t i = 0; i < activity->n_lines; i++) {
        const struct ot_activity_line *line = &activity->lines[i];
        int64_t in_bins = 0;
        if (line->kind != kind)
            continue;
        for (uint32_t bin = 0; bin < activity->opts.n_bins; bin++)
            in_bins += line->values[bin];
        assert_int_equal(in_bins, line->total);
        sum += in_bins;
    }
    return sum;
}

static void a_thread_is_busy_once_however_deep_its_calls(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 10);
    static const struct given given[] = {
        {OP, 0, 40, 1, 0},     {OP, 5, 30, 1, 0},  {CALL, 10, 5, 1, 0},
        {RANGE, 0, 100, 1, 0}, {OP, 60, 40, 1, 0}, {OP, 90, 10, 2, 0},
    };
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        give(&world, &given[i]);
    fill(&world);
    assert_int_equal(world.activity.n_lines, 2);
    static const int64_t expected[10] = {10, 10, 10, 10, 0, 0, 10, 10, 10, 10};
    assert_memory_equal(world.activity.lines[0].values, expected, sizeof(expected));
    assert_int_equal(world.activity.lines[1].vtid, 2);
    assert_int_equal(world.activity.lines[1].total, 10);
    close_world(&world);
}

static void streams_of_a_device_count_once(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 10);
    static const struct given given[] = {
        {KERNEL, 0, 50, 7, 3},  {KERNEL, 20, 50, 8, 3}, {KERNEL, 30, 10, 8, 3},
        {KERNEL, 90, 10, 7, 3}, {KERNEL, 40, 20, 7, 4},
    };
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        give(&world, &given[i]);
    fill(&world);
    assert_int_equal(world.activity.n_lines, 2);
    assert_int_equal(world.activity.lines[0].total, 80);
    assert_int_equal(world.activity.lines[0].values[7], 0);
    assert_int_equal(world.activity.lines[1].device, 1);
    assert_int_equal(world.activity.lines[1].total, 20);
    close_world(&world);
}

/* Ties, crossings and slices that outlive the one around them, as real traces have them. */
static void busy_times_add_up_to_host_busy_and_to_device_unions(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) {
        struct world world;
        open_world(&world, 1 + (uint32_t)round);
        for (int i = 0; i < 60; i++) {
            struct given given = {
                .backend = rand_r(&seed) % 4 == 0 ? KERNEL
                           : rand_r(&seed) % 2    ? OP
                                                  : CALL,
                .ts_ns = rand_r(&seed) % 300,
                .dur_ns = rand_r(&seed) % 60,
                .vtid = (uint64_t)(rand_r(&seed) % 3),
                .device = rand_r(&seed) % 2,
            };
            give(&world, &given);
        }
        fill(&world);
        int64_t host_busy_ns = 0;
        int64_t device_ns = 0;
        for (size_t i = 0; i < world.pop.n_rows; i++) {
            if (world.pop.rows[i].backend != KERNEL)
                host_busy_ns += world.pop.rows[i].totals.self_ns;
        }
        for (size_t i = 0; i < world.pop.n_devices; i++)
            device_ns += world.pop.devices[i].union_ns;
        assert_int_equal(sum_of(&world.activity, OT_ACTIVITY_THREAD), host_busy_ns);
        assert_int_equal(sum_of(&world.activity, OT_ACTIVITY_DEVICE), device_ns);
        close_world(&world);
    }
}

/* The last one is the busiest; those before it are busy for one to three nanoseconds. */
static void past_the_limit_the_busiest_have_lines_and_all_are_in_the_sum(void **state)
{
    (void)state;
    enum { MORE = 900, N = OT_ACTIVITY_MAX_LINES + MORE, SPAN_NS = 100000 };
    struct world world;
    open_world(&world, 10);
    for (int i = 0; i < N; i++) {
        struct given given = {OP, i, 1 + i % 3, (uint64_t)i, 0};
        if (i == N - 1)
            given = (struct given){OP, 0, SPAN_NS, (uint64_t)i, 0};
        give(&world, &given);
    }
    static const struct given kernel = {KERNEL, 5, 50, 7, 3};
    give(&world, &kernel);
    give_memory(&world, 50, 70, -1);
    fill(&world);
    size_t n_lines[3] = {0};
    size_t n_least = 0;
    bool has_busiest = false;
    int64_t drawn_ns = 0;
    for (size_t i = 0; i < world.activity.n_lines; i++) {
        const struct ot_activity_line *line = &world.activity.lines[i];
        n_lines[line->kind]++;
        if (line->kind != OT_ACTIVITY_THREAD)
            continue;
        n_least += line->total == 1;
        drawn_ns += line->total;
        has_busiest |= line->total == SPAN_NS;
    }
    assert_int_equal(n_lines[OT_ACTIVITY_THREAD], OT_ACTIVITY_MAX_LINES);
    assert_int_equal(n_lines[OT_ACTIVITY_DEVICE], 1);
    assert_int_equal(n_lines[OT_ACTIVITY_MEMORY], 1);
    assert_true(has_busiest);
    assert_int_equal(n_least, N / 3 - MORE);
    const struct ot_activity_sum *sum = ot_activity_sum_of(&world.activity, 0, OT_ACTIVITY_THREAD);
    assert_int_equal(sum->n, N);
    assert_int_equal(sum->total, drawn_ns + MORE);
    int64_t in_bins = 0;
    for (int bin = 0; bin < 10; bin++)
        in_bins += sum->values[bin];
    assert_int_equal(in_bins, sum->total);
    assert_int_equal(sum->values[9], SPAN_NS / 10);
    assert_int_equal(ot_activity_sum_of(&world.activity, 0, OT_ACTIVITY_DEVICE)->n, 1);
    assert_null(ot_activity_sum_of(&world.activity, 1, OT_ACTIVITY_THREAD));
    close_world(&world);
}

/* --- memory -------------------------------------------------------------------------------------
 */

static const struct ot_activity_line *memory_line(const struct world *world)
{
    for (size_t i = 0; i < world->activity.n_lines; i++) {
        if (world->activity.lines[i].kind == OT_ACTIVITY_MEMORY)
            return &world->activity.lines[i];
    }
    fail_msg("no memory");
    return NULL;
}

static void memory_is_the_most_of_each_bin(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 5);
    static const struct given op = {OP, 0, 100, 1, 0};
    give(&world, &op);
    give_memory(&world, 50, 70, -1); /* in no order */
    give_memory(&world, 5, 100, -1);
    give_memory(&world, 10, -40, -1);
    give_memory(&world, 55, -130, -1);
    fill(&world);
    static const int64_t expected[5] = {100, 60, 130, 0, 0};
    const struct ot_activity_line *line = memory_line(&world);
    assert_memory_equal(line->values, expected, sizeof(expected));
    assert_int_equal(line->total, 130);
    assert_true(line->is_summed);
    close_world(&world);
}

static void totals_that_the_trace_tells_count_instead_of_sums(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 5);
    static const struct given op = {OP, 0, 100, 1, 0};
    give(&world, &op);
    give_memory(&world, 30, 10, 1010);
    give_memory(&world, 45, 10, -1);
    give_memory(&world, 70, -510, 500);
    give_memory(&world, 500, 100, 600); /* after the last slice */
    fill(&world);
    static const int64_t expected[5] = {1010, 1010, 1010, 1010, 600};
    const struct ot_activity_line *line = memory_line(&world);
    assert_memory_equal(line->values, expected, sizeof(expected));
    assert_int_equal(line->total, 1010);
    assert_false(line->is_summed);
    close_world(&world);
}

static void memory_without_a_slice_has_an_axis_of_its_own(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 5);
    give_memory(&world, 30, 10, -1);
    give_memory(&world, 80, 5, -1);
    give_memory(&world, 40, 20, -1);
    fill(&world);
    const struct ot_activity_line *line = memory_line(&world);
    static const int64_t expected[5] = {10, 30, 30, 30, 35};
    assert_int_equal(line->span.start_ns, 30);
    assert_int_equal(line->span.end_ns, 80);
    assert_memory_equal(line->values, expected, sizeof(expected));
    assert_null(ot_activity_sum_of(&world.activity, 0, OT_ACTIVITY_THREAD));
    close_world(&world);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_cover_the_span_without_a_gap),
        cmocka_unit_test(a_time_is_in_the_bin_that_has_begun_last),
        cmocka_unit_test(a_stretch_is_divided_to_the_nanosecond),
        cmocka_unit_test(a_thread_is_busy_once_however_deep_its_calls),
        cmocka_unit_test(streams_of_a_device_count_once),
        cmocka_unit_test(busy_times_add_up_to_host_busy_and_to_device_unions),
        cmocka_unit_test(past_the_limit_the_busiest_have_lines_and_all_are_in_the_sum),
        cmocka_unit_test(memory_is_the_most_of_each_bin),
        cmocka_unit_test(totals_that_the_trace_tells_count_instead_of_sums),
        cmocka_unit_test(memory_without_a_slice_has_an_axis_of_its_own),
    };
    return RUN(tests);
}
