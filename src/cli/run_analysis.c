#include "cli/run_analysis.h"

#include <string.h>

#include "fold/fold.h"

/* Folds the inputs that are left into `pop`, and names what was read. */
static int read_once(struct ot_analysis_run *run, const struct ot_store_api *store, bool recover,
                     struct ot_population *pop, struct ot_err *err)
{
    const struct ot_distinct *inputs = &run->inputs;
    ot_artifacts_release(&run->artifacts);
    int code = ot_artifacts_init(&run->artifacts, store, inputs->n, err);
    if (code < 0)
        return code;
    struct ot_fold_opts opts = {
        .depth = OT_FOLD_ANALYSIS,
        .recover = recover,
        .tap = ot_artifacts_tap,
        .tap_context = &run->artifacts,
    };
    code = ot_fold(inputs->inputs, inputs->n, &opts, pop, &run->format, err);
    if (code == OT_OK)
        code = ot_artifacts_end(&run->artifacts, pop->n_sessions, inputs->inputs, inputs->n, err);
    return code;
}

/* One of each. */
static bool drop_twins(struct ot_analysis_run *run, const char *verb)
{
    for (size_t i = 0; i < run->inputs.n; i++) {
        size_t first = 0;
        while (first < i && !ot_artifacts_same(&run->artifacts, first, i))
            first++;
        if (first != i)
            ot_distinct_drop(&run->inputs, verb, i, first);
    }
    return ot_distinct_close_gaps(&run->inputs);
}

static bool has_standard_input(const struct ot_distinct *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) {
        if (strcmp(inputs->inputs[i], "-") == 0)
            return true;
    }
    return false;
}

static int read_inputs(struct ot_analysis_run *run, const char *verb,
                       const struct ot_store_api *store, bool recover, struct ot_population *pop,
                       struct ot_err *err)
{
    int code = read_once(run, store, recover, pop, err);
    if (code < 0 || !drop_twins(run, verb))
        return code;
    if (has_standard_input(&run->inputs))
        return ot_err_set(err, OT_ERR_INPUT,
                          "inputs that are the same trace have to be left out when another one is "
                          "standard input, which cannot be read again");
    ot_population_release(pop);
    *pop = (struct ot_population){0};
    return read_once(run, store, recover, pop, err);
}

int ot_analysis_run(struct ot_analysis_run *run, const char *verb, const struct ot_store_api *store,
                    const char *const *inputs, size_t n_inputs, bool recover,
                    const struct ot_analysis_opts *opts, struct ot_err *err)
{
    int code = ot_distinct_init(&run->inputs, verb, inputs, n_inputs, err);
    if (code < 0)
        return code;
    struct ot_population pop = {0};
    code = read_inputs(run, verb, store, recover, &pop, err);
    if (code == OT_OK)
        code = store->analyze(&pop, opts, &run->analysis, err);
    ot_population_release(&pop);
    return code;
}

void ot_analysis_run_release(struct ot_analysis_run *run)
{
    if (!run)
        return;
    ot_analysis_release(&run->analysis);
    ot_artifacts_release(&run->artifacts);
    ot_distinct_release(&run->inputs);
    *run = (struct ot_analysis_run){0};
}
