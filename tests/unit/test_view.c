#include "test.h"

#include "base/str.h"
#include "stats/view.h"

static void add(struct ot_population *pop, int backend, const char *host, int64_t vpid,
                uint64_t vtid, const char *name, int64_t dur_ns, bool failed)
{
    struct ot_slice slice = {.backend = backend,
                             .vpid = vpid,
                             .vtid = vtid,
                             .dur_ns = dur_ns,
                             .self_ns = dur_ns,
                             .err = failed};
    struct ot_err err;
    assert_int_equal(ot_names_intern(&pop->names, ot_text_of(host), &slice.host, &err), OT_OK);
    assert_int_equal(ot_names_intern(&pop->names, ot_text_of(name), &slice.name, &err), OT_OK);
    assert_int_equal(ot_population_add(pop, &slice, &err), OT_OK);
}

static void fill(struct ot_population *pop)
{
    *pop = (struct ot_population){0};
    add(pop, 10, "n1", 1, 1, "mm", 100, false);
    add(pop, 10, "n1", 1, 1, "mm", 20, false);
    add(pop, 10, "n1", 1, 2, "abs", 50, false);
    add(pop, 10, "n2", 1, 1, "abs", 70, false);
    add(pop, 10, "n2", 1, 1, "bad", 0, true);
    add(pop, 7, "n1", 1, 1, "MPI_Send", 5, false);
    add(pop, 0, "n1", 1, 1, "other", 5, false);
}

static struct ot_view_opts default_opts(void)
{
    struct ot_view_opts opts = {.top = -1};
    for (int i = 0; i < OT_BACKEND_COUNT; i++)
        opts.levels[i] = ot_backends[i].default_level;
    return opts;
}

/* Names of the rows of table `i`, in order. */
static void assert_rows(const struct ot_view *view, size_t i, const char *expected)
{
    struct ot_str names = {0};
    for (size_t k = 0; k < view->tables[i].n_shown; k++) {
        ot_str_addf(&names, "%s", k ? " " : "");
        ot_str_add_text(&names, view->tables[i].rows[k].name);
    }
    assert_string_equal(ot_str_borrow(&names), expected);
    ot_str_release(&names);
}

static void sections_go_from_the_highest_level_down(void **state)
{
    (void)state;
    struct ot_population pop;
    struct ot_view view = {0};
    struct ot_view_opts opts = default_opts();
    struct ot_err err;
    fill(&pop);
    assert_int_equal(ot_view_build(&view, &pop, &opts, &err), OT_OK);
    assert_int_equal(view.n_tables, 2);
    assert_int_equal(view.tables[0].level, 6);
    assert_int_equal(view.tables[1].level, 3);
    assert_int_equal(view.left_out[0], 1);
    assert_int_equal(view.tables[0].n_hosts, 2);
    assert_int_equal(view.tables[0].n_processes, 2);
    assert_int_equal(view.tables[0].n_threads, 3);
    assert_int_equal(view.tables[0].n_process_ids, 1);
    assert_int_equal(view.tables[0].n_thread_ids, 2);
    assert_rows(&view, 0, "abs mm bad");
    ot_view_release(&view);
    ot_view_release(NULL);
    ot_population_release(&pop);
}

static void a_limit_changes_rows_and_never_totals(void **state)
{
    (void)state;
    struct ot_population pop;
    struct ot_view_opts opts = default_opts();
    struct ot_err err;
    fill(&pop);
    for (int64_t top = 1; top <= 4; top++) {
        struct ot_view view = {0};
        opts.top = top;
        assert_int_equal(ot_view_build(&view, &pop, &opts, &err), OT_OK);
        assert_int_equal(view.tables[0].n_shown, top < 3 ? top : 3);
        assert_int_equal(view.tables[0].n_rows, 3);
        assert_int_equal(view.tables[0].totals.inclusive_ns, 240);
        assert_int_equal(view.tables[0].totals.n_calls, 5);
        ot_view_release(&view);
    }
    ot_population_release(&pop);
}

static void every_sort_key_has_its_order(void **state)
{
    (void)state;
    static const struct {
        enum ot_sort sort;
        const char *rows;
    } rows[] = {
        {OT_SORT_TIME, "abs mm bad"},  {OT_SORT_SELF, "abs mm bad"},
        {OT_SORT_CALLS, "abs mm bad"}, {OT_SORT_AVERAGE, "abs mm bad"},
        {OT_SORT_MIN, "abs mm bad"},   {OT_SORT_MAX, "mm abs bad"},
        {OT_SORT_NAME, "abs bad mm"},  {OT_SORT_ERRORS, "bad abs mm"},
    };
    struct ot_population pop;
    struct ot_view_opts opts = default_opts();
    struct ot_err err;
    fill(&pop);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_view view = {0};
        opts.sort = rows[i].sort;
        assert_int_equal(ot_view_build(&view, &pop, &opts, &err), OT_OK);
        assert_rows(&view, 0, rows[i].rows);
        ot_view_release(&view);
    }
    ot_population_release(&pop);
}

static void grouping_keeps_the_totals(void **state)
{
    (void)state;
    static const struct {
        enum ot_by by;
        bool extended;
        size_t n_tables;
        size_t n_rows;
    } rows[] = {
        {OT_BY_OPERATOR, false, 2, 3},
        {OT_BY_THREAD, false, 2, 3},
        {OT_BY_PROCESS, false, 2, 2},
        {OT_BY_OPERATOR, true, 4, 1},
    };
    struct ot_population pop;
    struct ot_view_opts opts = default_opts();
    struct ot_err err;
    fill(&pop);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_view view = {0};
        opts.by = rows[i].by;
        opts.extended = rows[i].extended;
        assert_int_equal(ot_view_build(&view, &pop, &opts, &err), OT_OK);
        assert_int_equal(view.n_tables, rows[i].n_tables);
        assert_int_equal(view.tables[0].n_rows, rows[i].n_rows);
        int64_t sum_ns = 0;
        for (size_t k = 0; k < view.n_tables; k++)
            sum_ns += view.tables[k].totals.inclusive_ns;
        assert_int_equal(sum_ns, 245);
        ot_view_release(&view);
    }
    ot_population_release(&pop);
}

static void an_empty_population_has_no_tables(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_view view = {0};
    struct ot_view_opts opts = default_opts();
    struct ot_err err;
    assert_int_equal(ot_view_build(&view, &pop, &opts, &err), OT_OK);
    assert_int_equal(view.n_tables, 0);
    ot_view_release(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_go_from_the_highest_level_down),
        cmocka_unit_test(a_limit_changes_rows_and_never_totals),
        cmocka_unit_test(every_sort_key_has_its_order),
        cmocka_unit_test(grouping_keeps_the_totals),
        cmocka_unit_test(an_empty_population_has_no_tables),
    };
    return RUN(tests);
}
