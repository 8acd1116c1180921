/* run_analysis.h: from inputs to an analysis. */
#ifndef OT_CLI_RUN_ANALYSIS_H
#define OT_CLI_RUN_ANALYSIS_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/artifacts.h"
#include "cli/distinct.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "stats/activity.h"
#include "stats/analysis.h"
#include "stats/population.h"
#include "stats/stacks.h"
#include "store/store.h"

struct ot_analysis_run {
    /* What is made beside the analysis, if not NULL; zeroed but for their `opts`, and released with
     * the run. */
    struct ot_stacks *stacks;
    struct ot_activity *activity;

    struct ot_progress *progress; /* somebody's that is drawn all the while; NULL: one of its own */

    struct ot_population pop; /* what the analysis is of; the stacks' names are its own */
    struct ot_analysis analysis;
    struct ot_artifacts artifacts;
    const char **artifact_names; /* "sha256:...", one per session */
    const char **input_names;    /* of `inputs`, for people */
    char (*kept_artifacts)[OT_ARTIFACT_NAME_BYTES];
    const char *format;
    struct ot_distinct inputs; /* those that counted */
};

/* Reads all inputs together; one that is the same as another, byte for byte, is left out with a
 * line on stderr. Runs of the store are read from their tables, unless something is made beside.
 * `inputs` is borrowed until the run is released, which it has to be also after a failure. */
int ot_analysis_run(struct ot_analysis_run *run, const char *verb, const struct ot_store_api *store,
                    const struct ot_inputs *inputs, bool recover,
                    const struct ot_analysis_opts *opts, struct ot_err *err);

void ot_analysis_run_release(struct ot_analysis_run *run);

#endif
