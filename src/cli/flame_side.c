#include "cli/flame_side.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "emit/notes/notes.h"
#include "fold/fold.h"

static int fold(struct ot_flame_side *side, const struct ot_flame_side_opts *opts,
                struct ot_err *err)
{
    struct ot_progress progress;
    ot_progress_start(&progress, "reading", side->inputs.inputs, side->inputs.n);
    const struct ot_fold_opts fold_opts = {.depth = OT_FOLD_ANALYSIS,
                                           .recover = opts->recover,
                                           .read_bytes = &progress.read_bytes,
                                           .stacks = &side->stacks};
    const char *format = NULL;
    int code = ot_fold(side->inputs.inputs, side->inputs.n, &fold_opts, &side->pop, &format, err);
    ot_progress_stop(&progress);
    return code;
}

int ot_flame_side_read(struct ot_flame_side *side, const struct ot_flame_side_opts *opts,
                       const char *const *inputs, size_t n_inputs, struct ot_err *err)
{
    side->stacks.opts.by_track = opts->by_thread;
    int code = ot_distinct_init(&side->inputs, opts->verb, inputs, n_inputs, err);
    if (code == OT_OK)
        code = fold(side, opts, err);
    if (code < 0)
        return code;
    const struct ot_flame_source source = {&side->stacks, &side->pop};
    code = ot_flame_check(&source, opts->weight, err);
    if (code < 0)
        ot_err_context(err, "%s", inputs[0]);
    return code;
}

void ot_flame_side_tell(const struct ot_flame_side *side, const char *verb, bool is_named)
{
    struct ot_look look;
    char before[OT_NOTES_PREFIX_BYTES];
    char warning[OT_NOTES_PREFIX_BYTES];
    struct ot_str prefix = {0};
    struct ot_str reasons = {0};
    ot_tty_look(STDERR_FILENO, OT_COLOR_AUTO, &look);
    snprintf(before, sizeof(before), "optally %s: ", verb);
    ot_notes_warning_prefix(warning, before, &look);
    ot_str_addf(&prefix, "%s", warning);
    if (is_named) {
        ot_utf8_add_printable(&prefix, ot_text_of(side->inputs.inputs[0]));
        ot_str_addf(&prefix, ": ");
    }
    ot_notes_write_warnings(&side->pop.warnings, ot_str_borrow(&prefix), stderr);
    ot_notes_add_reasons(&reasons, &side->pop.counts);
    if (reasons.len)
        fprintf(stderr, "%slower bounds: %s\n", ot_str_borrow(&prefix), ot_str_borrow(&reasons));
    ot_str_release(&reasons);
    ot_str_release(&prefix);
}

/* Without folders, which would take the room of what tells traces apart. */
static const char *name_of(const char *input)
{
    const char *slash = strrchr(input, '/');
    return slash && slash[1] != '\0' ? slash + 1 : input;
}

void ot_flame_side_add_name(struct ot_str *title, const struct ot_flame_side *side)
{
    if (side->inputs.n == 0)
        return;
    ot_str_addf(title, "%s", name_of(side->inputs.inputs[0]));
    if (side->inputs.n > 1)
        ot_str_addf(title, " and %zu more", side->inputs.n - 1);
}

void ot_flame_side_release(struct ot_flame_side *side)
{
    ot_stacks_release(&side->stacks);
    ot_population_release(&side->pop);
    ot_distinct_release(&side->inputs);
}
