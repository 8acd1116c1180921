#include "cli/flame_side.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "fold/fold.h"

static int fold(struct ot_flame_side *side, const struct ot_flame_side_opts *opts,
                struct ot_err *err)
{
    struct ot_progress progress;
    ot_progress_start(&progress, "reading", side->inputs.inputs, side->inputs.n);
    const struct ot_fold_opts fold_opts = {.depth = OT_FOLD_ANALYSIS,
                                           .recover = opts->recover || side->given->recover,
                                           .read_bytes = &progress.read_bytes,
                                           .stacks = &side->stacks};
    const char *format = NULL;
    int code = ot_fold(side->inputs.inputs, side->inputs.n, &fold_opts, &side->pop, &format, err);
    ot_progress_stop(&progress);
    return code;
}

static const char *first_name(const struct ot_flame_side *side)
{
    return ot_inputs_find(side->given, side->inputs.inputs[0])->shown;
}

int ot_flame_side_read(struct ot_flame_side *side, const struct ot_flame_side_opts *opts,
                       const struct ot_inputs *inputs, struct ot_err *err)
{
    side->given = inputs;
    side->stacks.opts.by_track = opts->by_thread;
    int code = ot_distinct_init(&side->inputs, opts->verb, inputs->paths, inputs->n, err);
    if (code == OT_OK)
        code = fold(side, opts, err);
    if (code < 0)
        return code;
    const struct ot_flame_source source = {&side->stacks, &side->pop};
    code = ot_flame_check(&source, opts->weight, err);
    if (code < 0)
        ot_err_context(err, "%s", first_name(side));
    return code;
}

void ot_flame_side_tell(const struct ot_flame_side *side, const char *verb, bool is_named)
{
    const char *input = is_named ? first_name(side) : NULL;
    struct ot_str merged = {0};
    ot_tell_incomplete(verb, input, &side->pop.warnings, &side->pop.counts);
    ot_flame_add_merged(&merged, &side->stacks);
    if (merged.len)
        ot_complain(verb, "warning: %s%s%s", input ? input : "", input ? ": " : "",
                    ot_str_borrow(&merged));
    ot_str_release(&merged);
}

/* Without folders, which would take the room of what tells traces apart. */
void ot_flame_side_add_name(struct ot_str *title, const struct ot_flame_side *side)
{
    if (side->inputs.n == 0)
        return;
    ot_str_add_text(title, ot_text_base_name(ot_text_of(first_name(side))));
    if (side->inputs.n > 1)
        ot_str_addf(title, " and %zu more", side->inputs.n - 1);
}

void ot_flame_side_release(struct ot_flame_side *side)
{
    ot_stacks_release(&side->stacks);
    ot_population_release(&side->pop);
    ot_distinct_release(&side->inputs);
}
