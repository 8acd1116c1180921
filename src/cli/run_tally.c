#include "cli/run_tally.h"

#include "cli/progress.h"
#include "emit/tally/tally.h"
#include "fold/fold.h"
#include "stats/completeness.h"

static struct ot_tally_counts count(const struct ot_population *pop)
{
    struct ot_tally_counts counts = {
        .events_read = pop->counts.events_read,
        .exact = ot_completeness_exact(&pop->counts),
    };
    for (size_t i = 0; i < pop->n_rows; i++) {
        counts.calls += pop->rows[i].totals.n_calls;
        if (pop->rows[i].backend == OT_BACKEND_PYTORCH)
            counts.pytorch_calls += pop->rows[i].totals.n_calls;
    }
    return counts;
}

int ot_run_tally(const char *const *inputs, size_t n_inputs, bool recover,
                 const struct ot_tally_opts *opts, FILE *out, FILE *diag,
                 struct ot_tally_counts *ret_counts, struct ot_err *err)
{
    struct ot_population pop = {0};
    struct ot_progress progress;
    ot_progress_start(&progress, "reading", inputs, n_inputs);
    struct ot_fold_opts fold_opts = {.depth = opts->no_self ? OT_FOLD_SUMS : OT_FOLD_SELF,
                                     .recover = recover,
                                     .by_forward = opts->by_forward,
                                     .read_bytes = &progress.read_bytes};
    const char *format = NULL;
    int code = ot_fold(inputs, n_inputs, &fold_opts, &pop, &format, err);
    ot_progress_stop(&progress);
    if (code == OT_OK)
        code = ot_tally_write(&pop, opts, out, diag, err);
    if (code == OT_OK && ret_counts)
        *ret_counts = count(&pop);
    ot_population_release(&pop);
    return code;
}
