#include "cli/run_analysis.h"

#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

/* Folds the inputs that are left into `pop`, and names what was read. */
static int read_once(struct ot_analysis_run *run, const struct ot_store_api *store, bool recover,
                     struct ot_population *pop, struct ot_err *err)
{
    ot_artifacts_release(&run->artifacts);
    int code = ot_artifacts_init(&run->artifacts, store, run->n_inputs, err);
    if (code < 0)
        return code;
    struct ot_fold_opts opts = {
        .depth = OT_FOLD_ANALYSIS,
        .recover = recover,
        .tap = ot_artifacts_tap,
        .tap_context = &run->artifacts,
    };
    code = ot_fold(run->inputs, run->n_inputs, &opts, pop, &run->format, err);
    if (code == OT_OK)
        code = ot_artifacts_end(&run->artifacts, pop->n_sessions, run->inputs, run->n_inputs, err);
    return code;
}

static size_t twin_of(const struct ot_analysis_run *run, size_t session)
{
    size_t first = 0;
    while (strcmp(ot_artifacts_name(&run->artifacts, first),
                  ot_artifacts_name(&run->artifacts, session)) != 0)
        first++;
    return first;
}

/* One of each, and of twins one that can be read again. */
static bool drop_twins(struct ot_analysis_run *run, size_t n_sessions,
                       void (*on_twin)(const char *input, const char *first))
{
    if (n_sessions != run->n_inputs)
        return false; /* the inputs are one session */
    size_t n = 0;
    for (size_t i = 0; i < n_sessions; i++) {
        size_t first = twin_of(run, i);
        if (first != i) {
            on_twin(run->inputs[i], run->inputs[first]);
            if (strcmp(run->inputs[first], "-") == 0)
                run->inputs[first] = run->inputs[i];
            run->inputs[i] = NULL;
        }
    }
    for (size_t i = 0; i < n_sessions; i++) {
        if (run->inputs[i])
            run->inputs[n++] = run->inputs[i];
    }
    run->n_inputs = n;
    return n < n_sessions;
}

static int read_inputs(struct ot_analysis_run *run, const struct ot_store_api *store, bool recover,
                       void (*on_twin)(const char *input, const char *first),
                       struct ot_population *pop, struct ot_err *err)
{
    int code = read_once(run, store, recover, pop, err);
    if (code < 0 || !drop_twins(run, pop->n_sessions, on_twin))
        return code;
    ot_population_release(pop);
    *pop = (struct ot_population){0};
    return read_once(run, store, recover, pop, err);
}

int ot_analysis_run(struct ot_analysis_run *run, const struct ot_store_api *store,
                    const char *const *inputs, size_t n_inputs, bool recover,
                    const struct ot_analysis_opts *opts,
                    void (*on_twin)(const char *input, const char *first), struct ot_err *err)
{
    run->inputs = calloc(n_inputs, sizeof(*run->inputs));
    if (!run->inputs)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    memcpy(run->inputs, inputs, n_inputs * sizeof(*inputs));
    run->n_inputs = n_inputs;
    struct ot_population pop = {0};
    int code = read_inputs(run, store, recover, on_twin, &pop, err);
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
    free(run->inputs);
    *run = (struct ot_analysis_run){0};
}
