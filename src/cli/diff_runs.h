/* diff_runs.h: from an argument to a run of a comparison. */
#ifndef OT_CLI_DIFF_RUNS_H
#define OT_CLI_DIFF_RUNS_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/inputs.h"
#include "diff/diff.h"
#include "store/store.h"

struct ot_diff_reading_opts {
    const char *verb;
    const struct ot_store_api *store;
    struct ot_input_opts from;
    bool recover;
    bool tells_lower_bounds; /* on standard error; else the result does */
};

/* Reads the runs, each with all its sessions, and adds them to a side. One that is there already is
 * left out, with a line on standard error. */
int ot_diff_read_runs(struct ot_diff *diff, enum ot_diff_side side, const char *const *args,
                      size_t n_args, const struct ot_diff_reading_opts *opts, struct ot_err *err);

#endif
