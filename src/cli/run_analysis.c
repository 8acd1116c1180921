#include "cli/run_analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "fold/fold.h"

static void release_folded(struct ot_analysis_run *run)
{
    ot_population_release(&run->pop);
    run->pop = (struct ot_population){0};
    ot_stacks_release(run->stacks);
    ot_activity_release(run->activity);
}

/* Folds the inputs that are left, and names what was read. */
static int read_once(struct ot_analysis_run *run, const struct ot_store_api *store, bool recover,
                     struct ot_err *err)
{
    const struct ot_distinct *inputs = &run->inputs;
    ot_artifacts_release(&run->artifacts);
    int code = ot_artifacts_init(&run->artifacts, store, inputs->n, err);
    if (code < 0)
        return code;
    struct ot_progress own = {0};
    if (!run->progress)
        ot_progress_start(&own, "reading", inputs->inputs, inputs->n);
    struct ot_fold_opts opts = {
        .depth = OT_FOLD_ANALYSIS,
        .recover = recover,
        .read_bytes = run->progress ? &run->progress->read_bytes : &own.read_bytes,
        .stacks = run->stacks,
        .activity = run->activity,
        .tap = ot_artifacts_tap,
        .tap_context = &run->artifacts,
    };
    code = ot_fold(inputs->inputs, inputs->n, &opts, &run->pop, &run->format, err);
    ot_progress_stop(&own);
    if (code == OT_OK)
        code =
            ot_artifacts_end(&run->artifacts, run->pop.n_sessions, inputs->inputs, inputs->n, err);
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
                       const struct ot_store_api *store, bool recover, struct ot_err *err)
{
    int code = read_once(run, store, recover, err);
    if (code < 0 || !drop_twins(run, verb))
        return code;
    if (has_standard_input(&run->inputs))
        return ot_err_set(err, OT_ERR_INPUT,
                          "inputs that are the same trace have to be left out when another one is "
                          "standard input, which cannot be read again");
    release_folded(run);
    return read_once(run, store, recover, err);
}

static int read_tables(struct ot_analysis_run *run, const struct ot_store_api *store,
                       const struct ot_inputs *inputs, struct ot_err *err)
{
    const char **folders = calloc(run->inputs.n, sizeof(*folders));
    if (!folders)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    int code = OT_OK;
    for (size_t i = 0; i < run->inputs.n && code == OT_OK; i++) {
        const struct ot_input *input = ot_inputs_find(inputs, run->inputs.inputs[i]);
        folders[i] = input->session->folder;
        code = ot_corpus_check_tables(input->session, err);
    }
    if (code == OT_OK)
        code = store->tables_load(folders, run->inputs.n, &run->pop, &run->format, err);
    free(folders);
    return code;
}

/* What the store keeps has other names there, and may be packed. */
static int name_inputs(struct ot_analysis_run *run, const struct ot_inputs *inputs,
                       struct ot_err *err)
{
    size_t n = run->inputs.n;
    bool are_sessions = run->pop.n_sessions == n;
    run->artifact_names = calloc(n, sizeof(*run->artifact_names));
    run->kept_artifacts = calloc(n, sizeof(*run->kept_artifacts));
    run->input_names = calloc(n, sizeof(*run->input_names));
    if (!run->artifact_names || !run->kept_artifacts || !run->input_names)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    for (size_t i = 0; i < n; i++) {
        const struct ot_input *input = ot_inputs_find(inputs, run->inputs.inputs[i]);
        run->input_names[i] = input->shown;
        if (!input->session || !are_sessions) {
            run->artifact_names[i] = ot_artifacts_name(&run->artifacts, i);
            continue;
        }
        snprintf(run->kept_artifacts[i], sizeof(run->kept_artifacts[i]), "sha256:%s",
                 input->session->artifact);
        run->artifact_names[i] = run->kept_artifacts[i];
        run->pop.sessions[i].session.path = ot_text_of(input->shown);
    }
    return OT_OK;
}

int ot_analysis_run(struct ot_analysis_run *run, const char *verb, const struct ot_store_api *store,
                    const struct ot_inputs *inputs, bool recover,
                    const struct ot_analysis_opts *opts, struct ot_err *err)
{
    bool has_tables = inputs->are_runs && !run->stacks && !run->activity;
    int code = ot_distinct_init(&run->inputs, verb, inputs->paths, inputs->n, err);
    if (code < 0)
        return code;
    code = has_tables ? read_tables(run, store, inputs, err)
                      : read_inputs(run, verb, store, recover || inputs->recover, err);
    if (code == OT_OK)
        code = name_inputs(run, inputs, err);
    if (code < 0)
        return code;
    struct ot_progress own = {0};
    if (!run->progress)
        ot_progress_start(&own, "analysing", NULL, 0);
    code = store->analyze(&run->pop, opts, &run->analysis, err);
    ot_progress_stop(&own);
    return code;
}

void ot_analysis_run_release(struct ot_analysis_run *run)
{
    if (!run)
        return;
    release_folded(run);
    ot_analysis_release(&run->analysis);
    free(run->artifact_names);
    free(run->kept_artifacts);
    free(run->input_names);
    ot_artifacts_release(&run->artifacts);
    ot_distinct_release(&run->inputs);
    *run = (struct ot_analysis_run){0};
}
