#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/backend.h"
#include "store/analyze.h"
#include "store/sha256.h"

static uint32_t id_of(struct ot_population *pop, const char *name)
{
    uint32_t id;
    struct ot_err err;
    assert_int_equal(ot_names_intern(&pop->names, ot_text_of(name), &id, &err), OT_OK);
    return id;
}

static struct ot_row *add_n(struct ot_population *pop, int backend, const char *name,
                            int64_t dur_ns, unsigned n)
{
    struct ot_slice slice = {
        .host = id_of(pop, ""),
        .name = id_of(pop, name),
        .category = id_of(pop, ""),
        .backend = backend,
        .vpid = 1,
        .vtid = 1,
        .dur_ns = dur_ns,
        .self_ns = dur_ns,
    };
    struct ot_err err;
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(ot_population_add(pop, &slice, &err), OT_OK);
    size_t row;
    assert_int_equal(ot_population_row(pop, &slice, &row, &err), OT_OK);
    return &pop->rows[row];
}

static struct ot_row *add(struct ot_population *pop, const char *name, int64_t dur_ns)
{
    return add_n(pop, OT_BACKEND_PYTORCH, name, dur_ns, 1);
}

static const struct ot_analysis_opts all = {.limit = -1, .small_limit = -1, .small_below_ns = -1};

static void analyze(const struct ot_population *pop, const struct ot_analysis_opts *opts,
                    struct ot_analysis *analysis)
{
    struct ot_err err = {0};
    if (ot_analyze(pop, opts, analysis, &err) != OT_OK)
        fail_msg("%s", err.msg);
}

static const struct ot_aggregate *aggregate_of(const struct ot_analysis *analysis, const char *name)
{
    for (size_t i = 0; i < analysis->n_aggregates; i++) {
        if (ot_text_same(analysis->aggregates[i].name, ot_text_of(name)))
            return &analysis->aggregates[i];
    }
    fail_msg("no aggregate %s", name);
    return NULL;
}

static int64_t value_of(const struct ot_analysis *analysis, const char *name)
{
    return aggregate_of(analysis, name)->value;
}

static bool covers(const struct ot_analysis *analysis, const char *name)
{
    for (size_t i = 0; i < analysis->n_coverage; i++) {
        if (ot_text_same(analysis->coverage[i].name, ot_text_of(name)))
            return analysis->coverage[i].is_there;
    }
    fail_msg("no coverage %s", name);
    return false;
}

static void assert_names(const struct ot_analysis_table *table, const char *expected)
{
    struct ot_str names = {0};
    for (size_t i = 0; i < table->n_rows; i++) {
        ot_str_addf(&names, "%s", i ? " " : "");
        ot_str_add_text(&names, table->rows[i].name);
    }
    assert_string_equal(ot_str_borrow(&names), expected);
    ot_str_release(&names);
}

static void an_empty_population_has_zeroes_and_no_threshold(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_int_equal(analysis.n_operators, 0);
    assert_int_equal(analysis.n_events, 0);
    assert_int_equal(analysis.n_aggregates, 15);
    assert_int_equal(analysis.n_coverage, 10);
    assert_false(analysis.has_times);
    assert_false(analysis.has_threshold);
    assert_int_equal(aggregate_of(&analysis, "host_busy_time")->kind, OT_VALUE_EXACT);
    assert_int_equal(aggregate_of(&analysis, "device_time_sum")->kind, OT_VALUE_UNAVAILABLE);
    for (size_t i = 0; i < analysis.n_coverage; i++)
        assert_false(analysis.coverage[i].is_there);
    ot_analysis_release(&analysis);
    ot_population_release(&pop);
}

static void a_limit_bounds_rows_and_nothing_else(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add(&pop, "aten::matmul", 1000);
    add(&pop, "cudaDeviceSynchronize", 900)->synchronizes = true;
    add(&pop, "torch.compile", 800)->compiles = true;
    struct ot_track track = {
        .in_population = true, .synchronization_ns = 900, .compilation_ns = 800};
    pop.tracks = &track;
    pop.n_tracks = 1;
    for (int64_t limit = 1; limit <= 4; limit++) {
        struct ot_analysis_opts opts = all;
        struct ot_analysis analysis;
        opts.limit = limit;
        analyze(&pop, &opts, &analysis);
        assert_int_equal(value_of(&analysis, "host_busy_time"), 2700);
        assert_int_equal(value_of(&analysis, "synchronization_time"), 900);
        assert_int_equal(value_of(&analysis, "compilation_time"), 800);
        assert_int_equal(value_of(&analysis, "operators"), 3);
        assert_int_equal(value_of(&analysis, "tracks"), 1);
        assert_int_equal(analysis.operators.n_total, 3);
        assert_int_equal(analysis.operators.n_rows, limit < 3 ? limit : 3);
        assert_true(covers(&analysis, "synchronization"));
        assert_false(covers(&analysis, "overload_names"));
        ot_analysis_release(&analysis);
    }
    pop.tracks = NULL;
    ot_population_release(&pop);
}

static void rows_go_by_time_then_name_kind_and_category(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add(&pop, "b", 5);
    add(&pop, "B", 5);
    add(&pop, "a\x80", 5);
    add(&pop, "a", 5);
    add_n(&pop, OT_BACKEND_RUNTIME, "a", 5, 1);
    add(&pop, "z", 6);
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_names(&analysis.operators, "z B a a a\x80 b");
    assert_true(ot_text_same(analysis.operators.rows[2].kind, ot_text_of("op")));
    assert_true(ot_text_same(analysis.operators.rows[3].kind, ot_text_of("runtime")));
    ot_analysis_release(&analysis);
    ot_population_release(&pop);
}

static void what_no_total_counts_is_no_operator(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add_n(&pop, OT_BACKEND_ANNOTATION, "range", 5, 1);
    add_n(&pop, OT_BACKEND_PYTHON, "frame", 5, 1);
    add_n(&pop, OT_BACKEND_SYNC, "wait", 5, 1);
    add_n(&pop, OT_BACKEND_DEVICE_ANNOTATION, "range", 5, 1);
    add_n(&pop, OT_BACKEND_OTHER, "else", 5, 1);
    add_n(&pop, OT_BACKEND_UNKNOWN, "unknown", 5, 1);
    struct ot_err err;
    struct ot_slice failed = {.backend = OT_BACKEND_PYTORCH, .name = id_of(&pop, "x"), .err = true};
    assert_int_equal(ot_population_add(&pop, &failed, &err), OT_OK);
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_int_equal(analysis.n_operators, 0);
    assert_false(covers(&analysis, "self_cpu_time"));
    ot_analysis_release(&analysis);
    ot_population_release(&pop);
}

/* Vector V3 of the specification. */
static void small_ones_are_chosen_from_all_operators(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof(name), "op%d", i);
        add(&pop, name, 1000 - i);
    }
    add_n(&pop, OT_BACKEND_PYTORCH, "tiny_dispatch", 8, 100);
    static const int64_t limits[] = {1, 100, 101};
    for (size_t i = 0; i < 3; i++) {
        struct ot_analysis_opts opts = all;
        struct ot_analysis analysis;
        opts.limit = limits[i];
        analyze(&pop, &opts, &analysis);
        assert_int_equal(analysis.threshold_ns, 925);
        assert_int_equal(analysis.threshold_thousandths, 0);
        assert_false(analysis.threshold_is_absolute);
        assert_names(&analysis.repeated, "tiny_dispatch");
        assert_int_equal(analysis.repeated.n_total, 1);
        ot_analysis_release(&analysis);
    }
    ot_population_release(&pop);
}

static void assert_threshold(const struct ot_population *pop, const struct ot_analysis_opts *opts,
                             int64_t ns, int thousandths, const char *repeated)
{
    struct ot_analysis analysis;
    analyze(pop, opts, &analysis);
    assert_int_equal(analysis.threshold_ns, ns);
    assert_int_equal(analysis.threshold_thousandths, thousandths);
    assert_names(&analysis.repeated, repeated);
    ot_analysis_release(&analysis);
}

static void the_percentile_lies_between_two_means(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add_n(&pop, OT_BACKEND_PYTORCH, "a", 10, 3);
    assert_threshold(&pop, &all, 10, 0, "a");
    add_n(&pop, OT_BACKEND_PYTORCH, "b", 11, 3);
    assert_threshold(&pop, &all, 10, 250, "a"); /* 10 + 1/4 */
    add_n(&pop, OT_BACKEND_PYTORCH, "c", 20, 2);
    assert_threshold(&pop, &all, 10, 500, "a"); /* 10 + 2/4 */
    add(&pop, "d", 30);
    assert_threshold(&pop, &all, 10, 750, "a"); /* 10 + 3/4 */
    add(&pop, "e", 30);
    assert_threshold(&pop, &all, 11, 0, "a b");
    ot_population_release(&pop);
}

static void nothing_below_a_nanosecond_is_the_threshold(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add_n(&pop, OT_BACKEND_PYTORCH, "zero", 0, 3);
    add_n(&pop, OT_BACKEND_PYTORCH, "one", 1, 4);
    for (int i = 0; i < 5; i++)
        add_n(&pop, OT_BACKEND_PYTORCH, "some", i ? 1 : 2, 1);
    assert_threshold(&pop, &all, 1, 0, "one zero");
    ot_population_release(&pop);
}

static void a_threshold_can_be_given(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add_n(&pop, OT_BACKEND_PYTORCH, "ten", 10, 3);
    add_n(&pop, OT_BACKEND_PYTORCH, "twenty", 20, 4);
    add_n(&pop, OT_BACKEND_PYTORCH, "rare", 1, 2);
    struct ot_analysis_opts opts = all;
    opts.small_below_ns = 9;
    assert_threshold(&pop, &opts, 9, 0, "");
    opts.small_below_ns = 10;
    assert_threshold(&pop, &opts, 10, 0, "ten");
    opts.small_below_ns = INT64_MAX;
    assert_threshold(&pop, &opts, INT64_MAX, 0, "twenty ten");
    opts.small_limit = 1;
    assert_threshold(&pop, &opts, INT64_MAX, 0, "twenty");
    ot_population_release(&pop);
}

static void set_totals(struct ot_row *row, uint64_t n_calls, int64_t inclusive_ns)
{
    row->totals.n_calls = n_calls;
    row->totals.inclusive_ns = inclusive_ns;
}

/* Two means of which doubles, and any 62 bits, know no difference. */
static void means_are_compared_exactly(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    const int64_t large = INT64_C(3037000499); /* its square is just below 2^63 */
    set_totals(add(&pop, "lower", 1), (uint64_t)large, large - 1);
    set_totals(add(&pop, "upper", 1), (uint64_t)large + 1, large);
    assert_threshold(&pop, &all, 1, 0, "upper lower");
    set_totals(add(&pop, "lower", 1), INT64_MAX - 1, INT64_MAX - 2);
    set_totals(add(&pop, "upper", 1), INT64_MAX, INT64_MAX - 1);
    add(&pop, "long", 5);
    assert_threshold(&pop, &all, 1, 0, "upper lower");

    /* 2 + 1/(n - 1) and 2 + 1/n: the second is the smaller one. */
    const int64_t n = INT64_C(1) << 61;
    set_totals(add(&pop, "lower", 1), (uint64_t)n - 1, 2 * (n - 1) + 1);
    set_totals(add(&pop, "upper", 1), (uint64_t)n, 2 * n + 1);
    add(&pop, "longer", 6);
    add(&pop, "longest", 7);
    add(&pop, "zero", 0);
    assert_threshold(&pop, &all, 2, 0, "upper");
    ot_population_release(&pop);
}

static void sums_that_do_not_fit_are_lower_bounds_at_every_limit(void **state)
{
    (void)state;
    for (int64_t limit = 0; limit < 3; limit++) {
        struct ot_population pop = {0};
        struct ot_analysis_opts opts = all;
        opts.limit = limit;
        struct ot_row *row = add(&pop, "a", INT64_MAX);
        row->totals.self_ns = 1;
        row = add_n(&pop, OT_BACKEND_PYTORCH, "b", INT64_MAX, 1);
        row->totals.self_ns = 1;
        struct ot_slice other = {.name = row->name,
                                 .category = row->category,
                                 .host = row->host,
                                 .backend = row->backend,
                                 .vpid = 2,
                                 .dur_ns = INT64_MAX};
        struct ot_err err;
        assert_int_equal(ot_population_add(&pop, &other, &err), OT_OK);
        struct ot_analysis analysis;
        analyze(&pop, &opts, &analysis);
        assert_int_equal(value_of(&analysis, "host_busy_time"), 2);
        const struct ot_aggregate *busy = aggregate_of(&analysis, "host_busy_time");
        assert_int_equal(busy->kind, OT_VALUE_LOWER_BOUND);
        assert_int_equal(busy->n_reasons, 1);
        assert_string_equal(busy->reasons[0].bytes, "1 sum was too large to hold");
        ot_analysis_release(&analysis);
        ot_population_release(&pop);
    }
    struct ot_population pop = {0};
    add(&pop, "a", INT64_MAX);
    add(&pop, "b", INT64_MAX);
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_int_equal(value_of(&analysis, "host_busy_time"), INT64_MAX);
    assert_int_equal(aggregate_of(&analysis, "events")->kind, OT_VALUE_LOWER_BOUND);
    ot_analysis_release(&analysis);
    ot_population_release(&pop);
}

static void assert_part(const struct ot_analysis *analysis, const char *name, size_t i,
                        const char *label, uint64_t n_events, int64_t value)
{
    const struct ot_aggregate *aggregate = aggregate_of(analysis, name);
    assert_true(i < aggregate->n_parts);
    assert_string_equal(aggregate->parts[i].label.bytes, label);
    assert_int_equal(aggregate->parts[i].n_events, n_events);
    assert_int_equal(aggregate->parts[i].value, value);
}

static void aggregates_say_what_they_are_made_of(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_row *op = add(&pop, "aten::mm", 100);
    op->device_self_ns = 30;
    op->device_inclusive_ns = 40;
    op->allocated_bytes = 1000;
    add_n(&pop, OT_BACKEND_DEVICE, "kernel", 20, 4);
    struct ot_device devices[] = {
        {.label = id_of(&pop, "10"), .n_events = 1, .sum_ns = 20, .union_ns = 20},
        {.label = id_of(&pop, "2"), .n_events = 3, .sum_ns = 60, .union_ns = 50},
    };
    struct ot_memory memory[] = {
        {.device_type = 1,
         .device_id = 0,
         .n_events = 2,
         .allocated_bytes = 1500,
         .freed_bytes = 5,
         .peak_bytes = 1400},
        {.device_type = 0, .device_id = -1, .n_events = 1, .allocated_bytes = 7, .peak_bytes = 7},
        {.device_type = 99, .device_id = 3, .n_events = 1, .allocated_bytes = 1, .peak_bytes = 1},
    };
    struct ot_session_totals sessions[] = {{
        .unattributed = {{1, 10}, {1, 20}, {1, 20}},
        .graph_launches = {2, 40},
        .n_memory_events = 4,
        .unattributed_allocated_bytes = 508,
    }};
    pop.devices = devices;
    pop.n_devices = 2;
    pop.memory = memory;
    pop.n_memory = 3;
    pop.sessions = sessions;
    pop.n_sessions = 1;
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_int_equal(value_of(&analysis, "device_time_sum"), 80);
    assert_int_equal(value_of(&analysis, "device_time_union"), 70);
    assert_part(&analysis, "device_time_union", 0, "2", 3, 50);
    assert_part(&analysis, "device_time_union", 1, "10", 1, 20);
    assert_int_equal(value_of(&analysis, "allocation_bytes"), 1508);
    assert_part(&analysis, "allocation_bytes", 0, "cpu", 1, 7);
    assert_part(&analysis, "allocation_bytes", 1, "cuda:0", 2, 1500);
    assert_part(&analysis, "allocation_bytes", 2, "type99:3", 1, 1);
    assert_int_equal(value_of(&analysis, "freed_bytes"), 5);
    assert_int_equal(value_of(&analysis, "peak_allocated_bytes"), 1400);
    assert_int_equal(value_of(&analysis, "unattributed_allocation_bytes"), 508);
    assert_int_equal(value_of(&analysis, "unattributed_device_events"), 3);
    assert_int_equal(value_of(&analysis, "unattributed_device_time"), 50);
    assert_part(&analysis, "unattributed_device_time", 0, "no_launch_record", 1, 10);
    assert_part(&analysis, "unattributed_device_time", 1, "graph_launch", 1, 20);
    assert_part(&analysis, "unattributed_device_time", 2, "outside_every_operator", 1, 20);
    assert_int_equal(analysis.n_graph_launched, 2);
    assert_int_equal(analysis.graph_launched_ns, 40);
    assert_int_equal(value_of(&analysis, "host_busy_time"), 100);
    assert_int_equal(value_of(&analysis, "events"), 5);
    assert_true(analysis.operators.rows[0].has_device);
    assert_int_equal(analysis.operators.rows[0].device_inclusive_ns, 40);
    assert_int_equal(analysis.operators.rows[0].allocated_bytes, 1000);
    assert_false(analysis.operators.rows[1].has_device);
    assert_true(covers(&analysis, "memory_allocations"));
    assert_true(covers(&analysis, "device_time"));
    ot_analysis_release(&analysis);
    pop.devices = NULL;
    pop.memory = NULL;
    pop.sessions = NULL;
    ot_population_release(&pop);
}

static void the_ten_most_frequent_shapes_are_shown(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    add(&pop, "long", 100);
    add(&pop, "aten::add.Tensor", 50);
    struct ot_shape_count shapes[12];
    for (uint32_t i = 0; i < 12; i++) {
        char text[16];
        snprintf(text, sizeof(text), "[[%02u]]", (unsigned)i);
        shapes[i] = (struct ot_shape_count){.row = 1, .shapes = id_of(&pop, text), .n_calls = 1};
    }
    shapes[7].n_calls = 5;
    pop.shapes = shapes;
    pop.n_shapes = 12;
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    const struct ot_operator_row *row = &analysis.operators.rows[1];
    assert_int_equal(analysis.operators.rows[0].n_shapes, 0);
    assert_int_equal(row->n_shapes, 12);
    assert_int_equal(row->n_shapes_returned, 10);
    assert_string_equal(row->shapes[0].shapes.bytes, "[[07]]");
    assert_int_equal(row->shapes[0].n_calls, 5);
    assert_string_equal(row->shapes[1].shapes.bytes, "[[00]]");
    assert_true(covers(&analysis, "input_shapes"));
    assert_true(covers(&analysis, "overload_names"));
    ot_analysis_release(&analysis);

    struct ot_analysis_opts opts = all;
    opts.limit = 1;
    analyze(&pop, &opts, &analysis);
    assert_int_equal(analysis.operators.rows[0].n_shapes, 0);
    assert_true(covers(&analysis, "input_shapes"));
    ot_analysis_release(&analysis);
    pop.shapes = NULL;
    ot_population_release(&pop);
}

static void sessions_have_one_span_if_they_share_a_clock(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_session_totals sessions[] = {
        {.session.has_base = true, .has_times = true, .start_ns = 10, .end_ns = 20},
        {.session.has_base = true, .has_times = true, .start_ns = -5, .end_ns = 15},
        {.has_times = false},
    };
    pop.sessions = sessions;
    pop.n_sessions = 3;
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_true(analysis.has_times);
    assert_int_equal(analysis.start_ns, -5);
    assert_int_equal(analysis.end_ns, 20);
    ot_analysis_release(&analysis);
    sessions[1].session.has_base = false;
    analyze(&pop, &all, &analysis);
    assert_false(analysis.has_times);
    ot_analysis_release(&analysis);
    pop.n_sessions = 1;
    sessions[0].session.has_base = false;
    analyze(&pop, &all, &analysis);
    assert_true(analysis.has_times);
    ot_analysis_release(&analysis);
    pop.sessions = NULL;
    ot_population_release(&pop);
}

static void any_bytes_are_a_name(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    static const struct ot_text names[] = {
        {"a\0b", 3},
        {"\xff\xfe", 2},
        {"", 0},
        {"'; DROP TABLE folded; --", 24},
    };
    struct ot_err err;
    for (size_t i = 0; i < 4; i++) {
        struct ot_slice slice = {.backend = OT_BACKEND_PYTORCH, .dur_ns = 4 - (int64_t)i};
        slice.category = slice.host = id_of(&pop, "");
        assert_int_equal(ot_names_intern(&pop.names, names[i], &slice.name, &err), OT_OK);
        assert_int_equal(ot_population_add(&pop, &slice, &err), OT_OK);
    }
    struct ot_analysis analysis;
    analyze(&pop, &all, &analysis);
    assert_int_equal(analysis.operators.n_rows, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(ot_text_same(analysis.operators.rows[i].name, names[i]));
    ot_analysis_release(&analysis);
    ot_population_release(&pop);
}

static void a_hash_comes_piece_by_piece(void **state)
{
    (void)state;
    char hex[OT_STORE_SHA256_HEX + 1];
    struct ot_sha256 *sha256 = ot_sha256_new();
    ot_sha256_add(sha256, "a", 1);
    ot_sha256_add(sha256, "bc", 2);
    ot_sha256_end(sha256, hex);
    ot_sha256_free(sha256);
    ot_sha256_free(NULL);
    /* FIPS 180-2, appendix B.1. */
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_population_has_zeroes_and_no_threshold),
        cmocka_unit_test(a_limit_bounds_rows_and_nothing_else),
        cmocka_unit_test(rows_go_by_time_then_name_kind_and_category),
        cmocka_unit_test(what_no_total_counts_is_no_operator),
        cmocka_unit_test(small_ones_are_chosen_from_all_operators),
        cmocka_unit_test(the_percentile_lies_between_two_means),
        cmocka_unit_test(nothing_below_a_nanosecond_is_the_threshold),
        cmocka_unit_test(a_threshold_can_be_given),
        cmocka_unit_test(means_are_compared_exactly),
        cmocka_unit_test(sums_that_do_not_fit_are_lower_bounds_at_every_limit),
        cmocka_unit_test(aggregates_say_what_they_are_made_of),
        cmocka_unit_test(the_ten_most_frequent_shapes_are_shown),
        cmocka_unit_test(sessions_have_one_span_if_they_share_a_clock),
        cmocka_unit_test(any_bytes_are_a_name),
        cmocka_unit_test(a_hash_comes_piece_by_piece),
    };
    return RUN(tests);
}
