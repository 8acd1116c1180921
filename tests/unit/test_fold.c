#include "test.h"

#include <stdlib.h>

#include "fold/intake.h"
#include "fold/order.h"
#include "fold/tables.h"

/* A slice as a trace has it. */
struct given {
    int backend;
    const char *name;
    int64_t ts_ns;
    int64_t dur_ns;
    uint64_t correlation; /* 0: none */
    uint64_t vtid;
    const char *shapes;
    const char *phase;
    bool was_open;
};

struct world {
    struct ot_population pop;
    struct ot_intake intake;
};

static struct ot_text text(const char *string)
{
    return string ? ot_text_of(string) : (struct ot_text){0};
}

static void open_world(struct world *world)
{
    *world = (struct world){0};
    world->intake.pop = &world->pop;
    world->intake.depth = OT_FOLD_ANALYSIS;
    assert_int_equal(ot_intake_init(&world->intake, NULL), OT_OK);
}

static void give(struct world *world, const struct given *given)
{
    struct ot_event_args args = {
        .category = ot_text_of("cat"),
        .has_correlation = given->correlation != 0,
        .correlation = given->correlation,
        .shapes = text(given->shapes),
        .phase = text(given->phase),
        .has_phase = given->phase != NULL,
    };
    struct ot_event event = {
        .kind = OT_EVENT_SLICE,
        .backend = given->backend,
        .name = ot_text_of(given->name),
        .ts_ns = given->ts_ns,
        .dur_ns = given->dur_ns,
        .vpid = 1,
        .vtid = given->vtid,
        .was_open = given->was_open,
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

static void fold(struct world *world, const struct given *given, size_t n)
{
    open_world(world);
    for (size_t i = 0; i < n; i++)
        give(world, &given[i]);
    fill(world);
}

#define FOLD(world, given) fold(world, given, sizeof(given) / sizeof((given)[0]))

static const struct ot_row *row(const struct world *world, const char *name)
{
    for (size_t i = 0; i < world->pop.n_rows; i++) {
        struct ot_text found = ot_names_text(&world->pop.names, world->pop.rows[i].name);
        if (ot_text_same(found, ot_text_of(name)))
            return &world->pop.rows[i];
    }
    fail_msg("no row %s", name);
    return NULL;
}

static void close_world(struct world *world)
{
    ot_population_release(&world->pop);
}

enum {
    OP = OT_BACKEND_PYTORCH,
    CALL = OT_BACKEND_RUNTIME,
    KERNEL = OT_BACKEND_DEVICE,
    RANGE = OT_BACKEND_ANNOTATION,
    FRAME = OT_BACKEND_PYTHON
};

/* --- nesting ------------------------------------------------------------------------------------
 */

static void self_time_leaves_out_direct_children_of_either_kind(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "leaf", 20, 10, 0, 0, NULL, NULL, false}, /* out of order, as traces are */
        {OP, "outer", 0, 100, 0, 0, NULL, NULL, false},
        {CALL, "launch", 40, 5, 0, 0, NULL, NULL, false},
        {OP, "middle", 10, 50, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "outer")->totals.self_ns, 50);
    assert_int_equal(row(&world, "middle")->totals.self_ns, 35);
    assert_int_equal(row(&world, "leaf")->totals.self_ns, 10);
    assert_int_equal(row(&world, "launch")->totals.self_ns, 5);
    assert_int_equal(row(&world, "outer")->totals.inclusive_ns, 100);
    close_world(&world);
}

static void threads_and_kinds_nest_apart(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "op", 0, 100, 0, 0, NULL, NULL, false},
        {OP, "elsewhere", 10, 10, 0, 7, NULL, NULL, false},
        {RANGE, "range", 20, 200, 0, 0, NULL, NULL, false}, /* crosses the operator's end */
        {FRAME, "frame", 30, 10, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "op")->totals.self_ns, 100);
    assert_int_equal(row(&world, "range")->totals.self_ns, 200);
    assert_int_equal(row(&world, "frame")->totals.self_ns, 10);
    assert_int_equal(world.pop.warnings.of[OT_WARN_CLAMPED].n, 0);
    close_world(&world);
}

static void exact_ties_are_parent_first_in_the_order_of_the_trace(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "first", 5, 10, 0, 0, NULL, NULL, false},
        {OP, "second", 5, 10, 0, 0, NULL, NULL, false},
        {OP, "longer", 5, 30, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "longer")->totals.self_ns, 20);
    assert_int_equal(row(&world, "first")->totals.self_ns, 0);
    assert_int_equal(row(&world, "second")->totals.self_ns, 10);
    close_world(&world);
}

static void what_starts_at_an_end_is_a_sibling(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "a", 0, 10, 0, 0, NULL, NULL, false},
        {OP, "b", 10, 10, 0, 0, NULL, NULL, false},
        {OP, "nothing", 10, 0, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "a")->totals.self_ns, 10);
    assert_int_equal(row(&world, "b")->totals.self_ns, 10);
    assert_int_equal(row(&world, "nothing")->totals.n_calls, 1);
    close_world(&world);
}

static void what_outlives_its_parent_is_clamped_for_self_times_alone(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "parent", 0, 100, 0, 0, NULL, NULL, false},
        {OP, "late", 90, 30, 0, 0, NULL, NULL, false},
        {FRAME, "frame", 0, 10, 0, 0, NULL, NULL, false},
        {FRAME, "late frame", 5, 10, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "parent")->totals.self_ns, 90);
    assert_int_equal(row(&world, "late")->totals.self_ns, 10);
    assert_int_equal(row(&world, "late")->totals.inclusive_ns, 30);
    assert_int_equal(world.pop.warnings.of[OT_WARN_CLAMPED].n, 1);
    assert_int_equal(world.pop.warnings.of[OT_WARN_PYTHON_CLAMPED].n, 1);
    close_world(&world);
}

static void ordering_is_by_start_duration_and_parents_first(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 200; seed++) {
        struct world world;
        open_world(&world);
        uint64_t random = seed;
        size_t n = seed;
        for (size_t i = 0; i < n; i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            struct given given = {.backend = OP, .name = "op"};
            given.ts_ns = (int64_t)(random >> 40) % (int64_t)(n / 2 + 1);
            given.dur_ns = (int64_t)(random >> 50) % 3;
            given.was_open = random >> 35 & 1;
            give(&world, &given);
        }
        uint32_t *order = NULL;
        assert_int_equal(ot_order_slices(&world.intake, &order, NULL), OT_OK);
        for (size_t i = 1; i < n; i++) {
            const struct ot_kept *a = &world.intake.kept[order[i - 1]];
            const struct ot_kept *b = &world.intake.kept[order[i]];
            bool is_in_order = a->comes_last == b->comes_last
                                   ? (order[i - 1] < order[i]) != a->comes_last
                                   : a->comes_last;
            assert_true(a->ts_ns < b->ts_ns ||
                        (a->ts_ns == b->ts_ns &&
                         (a->dur_ns > b->dur_ns || (a->dur_ns == b->dur_ns && is_in_order))));
        }
        free(order);
        ot_intake_release(&world.intake);
        close_world(&world);
    }
}

/* --- device work --------------------------------------------------------------------------------
 */

static void device_work_goes_to_the_operator_that_launched_it(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "outer", 0, 100, 0, 0, NULL, NULL, false},
        {OP, "inner", 10, 20, 0, 0, NULL, NULL, false},
        {CALL, "launch", 12, 5, 7, 0, NULL, NULL, false},
        {CALL, "launch", 60, 5, 7, 0, NULL, NULL, false}, /* the earliest one counts */
        {KERNEL, "kernel", 50, 40, 7, 3, NULL, NULL, false},
        {KERNEL, "kernel", 95, 2, 7, 3, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "inner")->device_self_ns, 42);
    assert_int_equal(row(&world, "inner")->device_inclusive_ns, 42);
    assert_int_equal(row(&world, "outer")->device_self_ns, 0);
    assert_int_equal(row(&world, "outer")->device_inclusive_ns, 42);
    close_world(&world);
}

static void an_operator_that_starts_with_the_launch_encloses_it(void **state)
{
    (void)state;
    static const struct given given[] = {
        {CALL, "launch", 10, 20, 1, 0, NULL, NULL, false},
        {OP, "same start", 10, 5, 0, 0, NULL, NULL, false},
        {OP, "ended", 0, 10, 0, 0, NULL, NULL, false},
        {KERNEL, "kernel", 50, 4, 1, 3, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "same start")->device_self_ns, 4);
    assert_int_equal(row(&world, "ended")->device_inclusive_ns, 0);
    close_world(&world);
}

static void what_no_operator_launched_has_a_reason(void **state)
{
    (void)state;
    static const struct given given[] = {
        {KERNEL, "no correlation", 0, 1, 0, 3, NULL, NULL, false},
        {KERNEL, "no launch", 0, 2, 5, 3, NULL, NULL, false},
        {CALL, "cudaLaunchKernel", 10, 5, 6, 0, NULL, NULL, false},
        {KERNEL, "outside", 0, 4, 6, 3, NULL, NULL, false},
        {CALL, "cudaGraphLaunch", 20, 5, 8, 0, NULL, NULL, false},
        {KERNEL, "of a graph", 0, 8, 8, 3, NULL, NULL, false},
        {KERNEL, "of a graph", 30, 8, 8, 3, NULL, NULL, false},
        {OP, "op", 100, 50, 0, 0, NULL, NULL, false},
        {CALL, "cudaGraphLaunch", 110, 5, 9, 0, NULL, NULL, false},
        {KERNEL, "of a graph", 200, 100, 9, 3, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    const struct ot_session_totals *session = &world.pop.sessions[0];
    assert_int_equal(session->unattributed[OT_NO_LAUNCH_RECORD].device_ns, 3);
    assert_int_equal(session->unattributed[OT_NO_LAUNCH_RECORD].n_events, 2);
    assert_int_equal(session->unattributed[OT_OUTSIDE_EVERY_OPERATOR].device_ns, 4);
    assert_int_equal(session->unattributed[OT_GRAPH_LAUNCH].device_ns, 16);
    assert_int_equal(session->unattributed[OT_GRAPH_LAUNCH].n_events, 2);
    assert_int_equal(session->graph_launches.device_ns, 116);
    assert_int_equal(row(&world, "op")->device_self_ns, 100);
    assert_int_equal(world.pop.devices[0].sum_ns, 123);
    close_world(&world);
}

static void overlapping_kernels_have_a_sum_and_a_union(void **state)
{
    (void)state;
    static const struct given given[] = {
        {KERNEL, "a", 100, 50, 0, 3, NULL, NULL, false},
        {KERNEL, "b", 0, 10, 0, 4, NULL, NULL, false},
        {KERNEL, "c", 120, 50, 0, 4, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(world.pop.n_devices, 1);
    assert_int_equal(world.pop.devices[0].sum_ns, 110);
    assert_int_equal(world.pop.devices[0].union_ns, 80);
    assert_int_equal(world.pop.devices[0].n_events, 3);
    assert_int_equal(world.pop.n_tracks, 2);
    close_world(&world);
}

/* --- memory, phases, names, shapes --------------------------------------------------------------
 */

static void memory_belongs_to_the_operator_around_it(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "outer", 0, 100, 0, 0, NULL, NULL, false},
        {OP, "inner", 10, 10, 0, 0, NULL, NULL, false},
    };
    struct world world;
    open_world(&world);
    give_memory(&world, 20, 5, -1); /* where inner ends: outer's */
    give_memory(&world, 10, 7, -1); /* where inner begins: inner's */
    give_memory(&world, 15, -3, -1);
    give_memory(&world, 100, 11, -1); /* where outer ends: nobody's */
    for (size_t i = 0; i < 2; i++)
        give(&world, &given[i]);
    fill(&world);
    assert_int_equal(row(&world, "inner")->allocated_bytes, 7);
    assert_int_equal(row(&world, "outer")->allocated_bytes, 5);
    assert_int_equal(world.pop.sessions[0].unattributed_allocated_bytes, 11);
    assert_int_equal(world.pop.memory[0].allocated_bytes, 23);
    assert_int_equal(world.pop.memory[0].freed_bytes, 3);
    assert_int_equal(world.pop.memory[0].peak_bytes, 20);
    close_world(&world);
}

static void a_peak_is_what_the_events_tell_if_they_do(void **state)
{
    (void)state;
    struct world world;
    open_world(&world);
    give_memory(&world, 1, 10, 1000);
    give_memory(&world, 2, 10, -1);
    give_memory(&world, 3, -20, 900);
    fill(&world);
    assert_int_equal(world.pop.memory[0].peak_bytes, 1000);
    close_world(&world);
}

static void a_warm_up_is_where_the_innermost_phase_is_one(void **state)
{
    (void)state;
    static const struct given given[] = {
        {RANGE, "warmup", 0, 100, 0, 9, NULL, NULL, false}, /* on another thread of the process */
        {RANGE, "phase:measure", 40, 20, 0, 0, NULL, NULL, false},
        {RANGE, "no phase", 0, 1000, 0, 0, NULL, NULL, false},
        {OP, "warm", 10, 10, 0, 0, NULL, NULL, false},
        {OP, "inside", 45, 10, 0, 0, NULL, NULL, false},
        {OP, "warm again", 60, 10, 0, 0, NULL, NULL, false},
        {OP, "after", 100, 10, 0, 0, NULL, NULL, false},
        {OP, "by itself", 200, 10, 0, 0, NULL, "WarmUp", false},
        {OP, "not by itself", 80, 10, 0, 0, NULL, "run", false},
    };
    static const struct {
        const char *name;
        bool is_warm;
    } expected[] = {{"warm", true},   {"inside", false},   {"warm again", true},
                    {"after", false}, {"by itself", true}, {"not by itself", false}};
    struct world world;
    FOLD(&world, given);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(row(&world, expected[i].name)->warm_self_ns, expected[i].is_warm ? 10 : 0);
    assert_true(world.pop.sessions[0].has_phases);
    close_world(&world);
}

static void waiting_and_compiling_are_unions_per_thread(void **state)
{
    (void)state;
    static const struct given given[] = {
        {CALL, "cudaDeviceSynchronize", 0, 10, 0, 0, NULL, NULL, false},
        {OP, "Synchronize outer", 5, 20, 0, 0, NULL, NULL, false},
        {CALL, "cudaStreamSynchronize", 6, 2, 0, 1, NULL, NULL, false},
        {OP, "torch.compile", 100, 50, 0, 0, NULL, NULL, false},
        {RANGE, "inductor.codegen", 140, 20, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    int64_t synchronization_ns[2] = {0};
    int64_t compilation_ns = 0;
    for (size_t i = 0; i < world.pop.n_tracks; i++) {
        synchronization_ns[world.pop.tracks[i].vtid] += world.pop.tracks[i].synchronization_ns;
        compilation_ns += world.pop.tracks[i].compilation_ns;
    }
    assert_int_equal(synchronization_ns[0], 25);
    assert_int_equal(synchronization_ns[1], 2);
    assert_int_equal(compilation_ns, 60);
    close_world(&world);
}

static void a_thread_with_no_slice_of_the_population_is_no_track(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "op", 0, 10, 0, 0, NULL, NULL, false},
        {RANGE, "my compile", 0, 30, 0, 1, NULL, NULL, false},
        {RANGE, "range", 0, 30, 0, 2, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(world.pop.n_tracks, 2);
    assert_true(world.pop.tracks[0].in_population);
    assert_false(world.pop.tracks[1].in_population);
    assert_int_equal(world.pop.tracks[1].compilation_ns, 30);
    close_world(&world);
}

static void shapes_are_counted_per_operator_whatever_their_layout(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "a", 0, 1, 0, 0, "[[2]]", NULL, false},
        {OP, "a", 2, 1, 0, 0, "[[3]]", NULL, false},
        {OP, "a", 4, 1, 0, 0, "[[2]]", NULL, false},
        {OP, "b", 6, 1, 0, 0, "[[2, 7], [\"a ,\\\" \"]]", NULL, false},
        {OP, "b", 8, 1, 0, 0, "[[2,\n 7 ],[\"a ,\\\" \"]]", NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(world.pop.n_shapes, 3);
    assert_int_equal(world.pop.shapes[0].n_calls, 2);
    assert_int_equal(world.pop.shapes[2].n_calls, 2);
    struct ot_text laid_out = ot_names_text(&world.pop.names, world.pop.shapes[2].shapes);
    assert_true(ot_text_same(laid_out, ot_text_of("[[2, 7], [\"a ,\\\" \"]]")));
    close_world(&world);
}

static void the_span_of_a_session_is_that_of_its_population(void **state)
{
    (void)state;
    static const struct given given[] = {
        {RANGE, "range", 0, 1000, 0, 0, NULL, NULL, false},
        {OP, "op", 10, 10, 0, 0, NULL, NULL, false},
        {KERNEL, "kernel", 15, 80, 0, 3, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(world.pop.sessions[0].start_ns, 10);
    assert_int_equal(world.pop.sessions[0].end_ns, 95);
    close_world(&world);
}

static void times_at_the_limit_do_not_overflow(void **state)
{
    (void)state;
    static const struct given given[] = {
        {OP, "a", INT64_MAX - 5, INT64_MAX, 0, 0, NULL, NULL, false},
        {OP, "a", INT64_MIN, INT64_MAX, 0, 0, NULL, NULL, false},
        {CALL, "synchronize", INT64_MAX - 1, INT64_MAX, 0, 0, NULL, NULL, false},
        {KERNEL, "kernel", INT64_MAX - 1, INT64_MAX, 0, 0, NULL, NULL, false},
        {KERNEL, "kernel", INT64_MIN, INT64_MAX, 0, 0, NULL, NULL, false},
    };
    struct world world;
    FOLD(&world, given);
    assert_int_equal(row(&world, "a")->totals.inclusive_ns, INT64_MAX);
    assert_true(world.pop.counts.overflowed_sums > 0);
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_time_leaves_out_direct_children_of_either_kind),
        cmocka_unit_test(threads_and_kinds_nest_apart),
        cmocka_unit_test(exact_ties_are_parent_first_in_the_order_of_the_trace),
        cmocka_unit_test(what_starts_at_an_end_is_a_sibling),
        cmocka_unit_test(what_outlives_its_parent_is_clamped_for_self_times_alone),
        cmocka_unit_test(ordering_is_by_start_duration_and_parents_first),
        cmocka_unit_test(device_work_goes_to_the_operator_that_launched_it),
        cmocka_unit_test(an_operator_that_starts_with_the_launch_encloses_it),
        cmocka_unit_test(what_no_operator_launched_has_a_reason),
        cmocka_unit_test(overlapping_kernels_have_a_sum_and_a_union),
        cmocka_unit_test(memory_belongs_to_the_operator_around_it),
        cmocka_unit_test(a_peak_is_what_the_events_tell_if_they_do),
        cmocka_unit_test(a_warm_up_is_where_the_innermost_phase_is_one),
        cmocka_unit_test(waiting_and_compiling_are_unions_per_thread),
        cmocka_unit_test(a_thread_with_no_slice_of_the_population_is_no_track),
        cmocka_unit_test(shapes_are_counted_per_operator_whatever_their_layout),
        cmocka_unit_test(the_span_of_a_session_is_that_of_its_population),
        cmocka_unit_test(times_at_the_limit_do_not_overflow),
    };
    return RUN(tests);
}
