/* diff_runs.h: from an argument to a run of a comparison. */
#ifndef OT_CLI_DIFF_RUNS_H
#define OT_CLI_DIFF_RUNS_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "diff/diff.h"
#include "store/store.h"

/* Arguments of a side, one run each. Borrowed. */
struct ot_run_args {
    const char **args;
    size_t n;
};

struct ot_diff_reading_opts {
    const char *verb;
    const struct ot_store_api *store;
    struct ot_input_opts from;
    struct ot_progress *progress; /* runs all the while */
    bool recover;
    bool tells_lower_bounds; /* on standard error; else the result does */
};

/* Reads the runs, each with all its sessions, and adds them to their side. One that is there
 * already is left out, with a line on standard error. All runs of the store are of one commit. */
int ot_diff_read_runs(struct ot_diff *diff, const struct ot_run_args sides[OT_DIFF_SIDES],
                      const struct ot_diff_reading_opts *opts, struct ot_err *err);

#endif
