/* What fold/ makes of recordings of the built-in writer. */
#include "folder.h"
#include "oplog.h"

#include "fold/fold.h"
#include "stats/completeness.h"

static const uint64_t T = 1000000000;

/* The log, with its names, as the only one of the folder. */
static int fold_log(struct oplog *log, const struct ot_fold_opts *opts, struct ot_population *pop,
                    struct ot_err *err)
{
    const char *format = NULL;
    const char *path = folder;
    oplog_usual_names(log);
    oplog_write(log, in_folder("7.oplog"));
    *pop = (struct ot_population){0};
    int code = ot_fold(&path, 1, opts, pop, &format, err);
    assert_string_equal(format, "oplog");
    return code;
}

static void fold(struct oplog *log, const struct ot_fold_opts *opts, struct ot_population *pop)
{
    struct ot_err err = {""};
    assert_int_equal(fold_log(log, opts, pop, &err), OT_OK);
}

static const struct ot_row *row(const struct ot_population *pop, const char *name)
{
    for (size_t i = 0; i < pop->n_rows; i++) {
        if (ot_text_same(ot_names_text(&pop->names, pop->rows[i].name), ot_text_of(name)))
            return &pop->rows[i];
    }
    fail_msg("no row %s", name);
    return NULL;
}

static const struct ot_fold_opts analysis = {.depth = OT_FOLD_ANALYSIS};
static const struct ot_fold_opts by_forward = {.depth = OT_FOLD_SELF, .by_forward = true};

static void memory_of_a_recording_belongs_to_the_operator_around_it(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_memory(&log, T + 5, 7, 7);
    oplog_entry(&log, 1, T + 10);
    oplog_entry(&log, 2, T + 20);
    oplog_memory(&log, T + 25, 1000, 1007);
    oplog_memory(&log, T + 26, -400, 607);
    oplog_exit(&log, 2, T + 30);
    oplog_memory(&log, T + 35, 50, 657);
    oplog_exit(&log, 1, T + 40);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_memory(&log, T + 27, 1, 608); /* of no operator, though one of another thread is open */
    fold(&log, &analysis, &pop);
    assert_int_equal(row(&pop, "aten::abs")->allocated_bytes, 1000);
    assert_int_equal(row(&pop, "aten::add.Tensor")->allocated_bytes, 50);
    assert_int_equal(pop.sessions[0].unattributed_allocated_bytes, 8);
    assert_int_equal(pop.sessions[0].n_memory_events, 5);
    assert_int_equal(pop.n_memory, 1);
    assert_int_equal(pop.memory[0].device_type, 0);
    assert_int_equal(pop.memory[0].device_id, -1);
    assert_int_equal(pop.memory[0].allocated_bytes, 1058);
    assert_int_equal(pop.memory[0].freed_bytes, 400);
    assert_int_equal(pop.memory[0].peak_bytes, 1007);
    ot_population_release(&pop);
}

static void shapes_of_a_recording_are_counted(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    for (uint64_t i = 0; i < 3; i++) {
        oplog_entry(&log, 2, T + 10 + 2 * i);
        if (i)
            oplog_record(&log, OT_OPLOG_SHAPES_OF, 1, 0);
        oplog_exit(&log, 2, T + 11 + 2 * i);
    }
    fold(&log, &analysis, &pop);
    assert_int_equal(pop.n_shapes, 1);
    assert_int_equal(pop.shapes[0].n_calls, 2);
    assert_ptr_equal(&pop.rows[pop.shapes[0].row], row(&pop, "aten::abs"));
    assert_string_equal(ot_names_text(&pop.names, pop.shapes[0].shapes).bytes, "[[64, 3], []]");
    ot_population_release(&pop);
}

static void an_end_on_another_thread_is_a_call_of_its_own_thread(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop;
    static const struct ot_fold_opts sums = {.depth = OT_FOLD_SELF};
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 10);
    oplog_entry(&log, 2, T + 20);
    oplog_exit_of(&log, 1, T + 30, 1, T + 10);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_exit_of(&log, 2, T + 50, 1, T + 20);
    fold(&log, &sums, &pop);
    assert_int_equal(row(&pop, "aten::add.Tensor")->totals.self_ns, 10);
    assert_int_equal(row(&pop, "aten::abs")->totals.self_ns, 30);
    assert_int_equal(row(&pop, "aten::abs")->vtid, 101);
    assert_int_equal(pop.counts.unmatched_exits + pop.counts.unclosed_entries, 0);
    ot_population_release(&pop);
}

static void a_cut_log_makes_a_lower_bound(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop = {0};
    const char *format = NULL;
    const char *path = folder;
    struct ot_err err;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 10);
    oplog_exit(&log, 2, T + 11);
    oplog_write_part(&log, in_folder("7.oplog"), oplog_bytes(&log) - 1000);
    assert_int_equal(ot_fold(&path, 1, &analysis, &pop, &format, &err), OT_OK);
    assert_int_equal(pop.counts.truncated_inputs, 1);
    assert_int_equal(row(&pop, "aten::abs")->totals.n_calls, 1);
    ot_population_release(&pop);
}

static void names_that_were_not_kept_make_one_too_and_shapes_a_warning(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop = {0};
    oplog_begin(&log);
    oplog_header(&log)->lost_names = 2;
    oplog_header(&log)->lost_shapes = 1;
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, OT_OPLOG_NO_ANNOTATION, T + 5);
    oplog_entry(&log, OT_OPLOG_NO_NAME, T + 10);
    oplog_exit(&log, OT_OPLOG_NO_NAME, T + 11);
    oplog_exit(&log, OT_OPLOG_NO_ANNOTATION, T + 15);
    fold(&log, &analysis, &pop);
    assert_false(ot_completeness_exact(&pop.counts));
    assert_int_equal(pop.counts.lost_names, 2);
    assert_int_equal(pop.warnings.of[OT_WARN_LOST_SHAPES].n, 1);
    assert_int_equal(pop.n_rows, 2); /* an operator and an annotation of one name */
    assert_int_equal(pop.counts.unmatched_exits + pop.counts.unclosed_entries, 0);
    ot_population_release(&pop);
}

/* --- by forward --------------------------------------------------------------------------------
 */

static void call(struct oplog *log, uint32_t id, uint64_t at, int64_t sequence,
                 uint64_t forward_thread)
{
    oplog_entry(log, id, at);
    oplog_sequence(log, sequence, forward_thread);
    oplog_exit(log, id, at + 1);
}

static void a_backward_operator_is_named_by_what_began_last_with_its_number(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 10); /* calls aten::mul, which makes the node */
    oplog_sequence(&log, 5, 0);
    call(&log, 4, T + 11, 5, 0);
    oplog_exit(&log, 1, T + 13);
    call(&log, 1, T + 20, 6, 0);
    call(&log, 1, T + 60, 5, 0); /* after the fact */
    oplog_begin_events(&log, 2, 0, T, 0);
    call(&log, 1, T + 15, 5, 0); /* a number of another thread's */
    call(&log, 2, T + 30, 5, 1);
    call(&log, 2, T + 40, 6, 1);
    call(&log, 2, T + 42, 7, 1);  /* whose forward was never seen */
    call(&log, 2, T + 44, -1, 1); /* of no number */
    call(&log, 2, T + 46, 5, 9);  /* of a thread that nobody knows */
    call(&log, 2, T + 48, 5, 2);
    fold(&log, &by_forward, &pop);
    assert_int_equal(row(&pop, "aten::abs <- aten::mul")->totals.n_calls, 1);
    assert_int_equal(row(&pop, "aten::abs <- aten::add.Tensor")->totals.n_calls, 2);
    assert_int_equal(row(&pop, "aten::abs <- (not seen)")->totals.n_calls, 2);
    assert_int_equal(row(&pop, "aten::abs")->totals.n_calls, 1);
    assert_int_equal(row(&pop, "aten::mul")->totals.n_calls, 1);
    assert_int_equal(pop.counts.unmatched_exits + pop.counts.unclosed_entries, 0);
    ot_population_release(&pop);
}

static void numbers_far_apart_have_room(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    for (uint64_t i = 0; i < 60; i++)
        call(&log, i % 2 ? 1 : 4, T + 10 + 2 * i, (INT64_C(1) << i) + 4000, 0);
    for (uint64_t i = 0; i < 60; i++)
        call(&log, 2, T + 500 + 2 * i, (INT64_C(1) << i) + 4000, 1);
    fold(&log, &by_forward, &pop);
    assert_int_equal(row(&pop, "aten::abs <- aten::mul")->totals.n_calls, 30);
    assert_int_equal(row(&pop, "aten::abs <- aten::add.Tensor")->totals.n_calls, 30);
    ot_population_release(&pop);
}

static void without_numbers_there_is_no_telling(void **state)
{
    (void)state;
    struct oplog log;
    struct ot_population pop;
    struct ot_err err;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 10);
    oplog_exit(&log, 1, T + 11);
    assert_int_equal(fold_log(&log, &by_forward, &pop, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "optally record --seq"));
    ot_population_release(&pop);

    oplog_begin(&log); /* nothing ran: nothing to tell */
    fold(&log, &by_forward, &pop);
    ot_population_release(&pop);
}

static void a_trace_of_torch_profiler_does_not_tell(void **state)
{
    (void)state;
    static const char trace[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::abs\",\"pid\":1,"
        "\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"Sequence number\":1,\"Fwd thread id\":1}}]}";
    struct ot_population pop = {0};
    struct ot_err err;
    const char *format = NULL;
    put_file("trace.json", trace, sizeof(trace) - 1);
    const char *path = in_folder("trace.json");
    assert_int_equal(ot_fold(&path, 1, &by_forward, &pop, &format, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "optally record --seq"));
    ot_population_release(&pop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(memory_of_a_recording_belongs_to_the_operator_around_it),
        IN_FOLDER(shapes_of_a_recording_are_counted),
        IN_FOLDER(an_end_on_another_thread_is_a_call_of_its_own_thread),
        IN_FOLDER(a_cut_log_makes_a_lower_bound),
        IN_FOLDER(names_that_were_not_kept_make_one_too_and_shapes_a_warning),
        IN_FOLDER(a_backward_operator_is_named_by_what_began_last_with_its_number),
        IN_FOLDER(numbers_far_apart_have_room),
        IN_FOLDER(without_numbers_there_is_no_telling),
        IN_FOLDER(a_trace_of_torch_profiler_does_not_tell),
    };
    return RUN(tests);
}
