#include "test.h"

#include "emit/tally/opts.h"

static int set(struct ot_tally_opts *opts, const char *name, const char *value)
{
    struct ot_err err;
    const struct ot_tally_option *option = ot_tally_option_find(name);
    assert_non_null(option);
    return option->set(opts, value, &err);
}

static void a_list_of_backends_replaces_the_default(void **state)
{
    (void)state;
    struct ot_tally_opts opts;
    ot_tally_opts_init(&opts);
    assert_int_equal(opts.view.levels[10], 6);
    assert_int_equal(opts.view.levels[0], 0);
    assert_int_equal(set(&opts, "backends", "mpi:9,unknown,ze"), OT_OK);
    assert_int_equal(opts.view.levels[7], 9);
    assert_int_equal(opts.view.levels[0], 1);
    assert_int_equal(opts.view.levels[1], 1);
    assert_int_equal(opts.view.levels[10], 0);
}

static void a_refused_value_changes_nothing(void **state)
{
    (void)state;
    static const char *const refused[] = {"",     "quda",   "mpi:",   "mpi:0",  "mpi:100",
                                          "mpi,", "mpi:1x", "mpi:-1", "mpi:x1", ",mpi"};
    struct ot_tally_opts opts;
    struct ot_tally_opts untouched;
    ot_tally_opts_init(&opts);
    ot_tally_opts_init(&untouched);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        assert_int_equal(set(&opts, "backends", refused[i]), OT_ERR_USAGE);
    assert_int_equal(set(&opts, "top", "0"), OT_ERR_USAGE);
    assert_int_equal(set(&opts, "top", "99999999999999999999"), OT_ERR_USAGE);
    assert_int_equal(set(&opts, "top", ""), OT_ERR_USAGE);
    assert_int_equal(set(&opts, "sort", "TIME"), OT_ERR_USAGE);
    assert_int_equal(set(&opts, "max-name-size", "-2"), OT_ERR_USAGE);
    assert_memory_equal(opts.view.levels, untouched.view.levels, sizeof(opts.view.levels));
    assert_int_equal(opts.view.top, -1);
    assert_int_equal(opts.max_name_size, 80);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    struct ot_err err;
    struct ot_tally_opts opts;
    ot_tally_opts_init(&opts);
    assert_int_equal(ot_tally_opts_check(&opts, &err), OT_OK);
    set(&opts, "by", "thread");
    assert_int_equal(ot_tally_opts_check(&opts, &err), OT_OK);
    set(&opts, "extended", NULL);
    assert_int_equal(ot_tally_opts_check(&opts, &err), OT_ERR_USAGE);
    ot_tally_opts_init(&opts);
    set(&opts, "thapi", NULL);
    set(&opts, "csv", NULL);
    assert_int_equal(ot_tally_opts_check(&opts, &err), OT_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_backends_replaces_the_default),
        cmocka_unit_test(a_refused_value_changes_nothing),
        cmocka_unit_test(contradictions_are_refused),
    };
    return RUN(tests);
}
