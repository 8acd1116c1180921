#include "cli/diff_runs.h"

#include "cli/output.h"
#include "cli/run_analysis.h"
#include "cli/verb.h"

static const char *const side_names[OT_DIFF_SIDES] = {"baseline", "candidate"};

static int add(struct ot_diff *diff, enum ot_diff_side side, const char *arg,
               const struct ot_analysis_run *run, const struct ot_inputs *inputs,
               const struct ot_diff_reading_opts *opts, struct ot_err *err)
{
    static const struct ot_counts nothing_lost = {0};
    const struct ot_diff_input input = {
        .analysis = &run->analysis,
        .name = arg,
        .format = run->format,
        .commit = inputs->commit,
        .artifacts = run->artifact_names,
    };
    bool is_twin = false;
    int code = ot_diff_add(diff, side, &input, &is_twin, err);
    if (code < 0)
        return code;
    if (is_twin)
        ot_complain(opts->verb,
                    "warning: %s is the same trace as another run of the %s; it counts once", arg,
                    side_names[side]);
    else
        ot_tell_incomplete(opts->verb, arg, &run->analysis.warnings,
                           opts->tells_lower_bounds ? &run->analysis.counts : &nothing_lost);
    return OT_OK;
}

static int read_run(struct ot_diff *diff, enum ot_diff_side side, const char *arg,
                    const struct ot_diff_reading_opts *opts, struct ot_err *err)
{
    static const struct ot_analysis_opts all = {
        .limit = -1, .small_limit = 0, .small_below_ns = -1};
    struct ot_input_opts from = opts->from;
    struct ot_inputs inputs = {0};
    struct ot_analysis_run run = {0};
    from.all_sessions = true;
    int code = ot_inputs_resolve(&inputs, &arg, 1, &from, err);
    if (code == OT_OK)
        code = ot_analysis_run(&run, opts->verb, opts->store, &inputs, opts->recover, &all, err);
    if (code == OT_OK)
        code = add(diff, side, arg, &run, &inputs, opts, err);
    ot_analysis_run_release(&run);
    ot_inputs_release(&inputs);
    return code;
}

int ot_diff_read_runs(struct ot_diff *diff, enum ot_diff_side side, const char *const *args,
                      size_t n_args, const struct ot_diff_reading_opts *opts, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < n_args && code == OT_OK; i++)
        code = read_run(diff, side, args[i], opts, err);
    return code;
}
