/* run_analysis.h: from inputs to an analysis. */
#ifndef OT_CLI_RUN_ANALYSIS_H
#define OT_CLI_RUN_ANALYSIS_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/artifacts.h"
#include "stats/analysis.h"
#include "store/store.h"

struct ot_analysis_run {
    struct ot_analysis analysis;
    struct ot_artifacts artifacts;
    const char *format;
    const char **inputs; /* those that counted */
    size_t n_inputs;
};

/* Reads all inputs together; one that is the same as another, byte for byte, is left out, and
 * `on_twin` is told of it. Release the run also after a failure. */
int ot_analysis_run(struct ot_analysis_run *run, const struct ot_store_api *store,
                    const char *const *inputs, size_t n_inputs, bool recover,
                    const struct ot_analysis_opts *opts,
                    void (*on_twin)(const char *input, const char *first), struct ot_err *err);

void ot_analysis_run_release(struct ot_analysis_run *run);

#endif
