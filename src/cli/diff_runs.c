#include "cli/diff_runs.h"

#include "cli/output.h"
#include "cli/run_analysis.h"
#include "cli/verb.h"

static int add(struct ot_diff *diff, enum ot_diff_side side, const char *arg,
               const struct ot_analysis_run *run, const struct ot_inputs *inputs,
               const struct ot_diff_reading_opts *opts, struct ot_err *err)
{
    static const struct ot_counts nothing_lost = {0};
    const struct ot_diff_input input = {
        .analysis = &run->analysis,
        .name = arg,
        .format = run->format,
        .commit = inputs->are_runs ? inputs->commit : NULL,
        .artifacts = run->artifact_names,
    };
    bool is_twin = false;
    int code = ot_diff_add(diff, side, &input, &is_twin, err);
    if (code < 0)
        return code;
    if (is_twin)
        ot_complain(opts->verb,
                    "warning: %s is the same trace as another run of the %s; it counts once", arg,
                    ot_diff_side_names[side]);
    else
        ot_tell_incomplete(opts->verb, arg, &run->analysis.warnings,
                           opts->tells_lower_bounds ? &run->analysis.counts : &nothing_lost);
    return OT_OK;
}

static int read_run(struct ot_diff *diff, enum ot_diff_side side, const char *arg,
                    struct ot_inputs *inputs, const struct ot_diff_reading_opts *opts,
                    struct ot_err *err)
{
    static const struct ot_analysis_opts all = {
        .limit = -1, .small_limit = 0, .small_below_ns = -1, .sums_alone = true};
    struct ot_input_opts from = opts->from;
    struct ot_analysis_run run = {.progress = opts->progress};
    from.all_sessions = true;
    int code = ot_inputs_resolve(inputs, &arg, 1, &from, err);
    if (code == OT_OK)
        code = ot_analysis_run(&run, opts->verb, opts->store, inputs, opts->recover, &all, err);
    if (code == OT_OK)
        code = add(diff, side, arg, &run, inputs, opts, err);
    ot_analysis_run_release(&run);
    ot_inputs_clear(inputs);
    return code;
}

int ot_diff_read_runs(struct ot_diff *diff, const struct ot_run_args sides[OT_DIFF_SIDES],
                      const struct ot_diff_reading_opts *opts, struct ot_err *err)
{
    struct ot_inputs inputs = {0};
    int code = OT_OK;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < sides[side].n && code == OT_OK; i++)
            code = read_run(diff, (enum ot_diff_side)side, sides[side].args[i], &inputs, opts, err);
    }
    ot_inputs_release(&inputs);
    return code;
}
