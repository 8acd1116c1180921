#include "cli/run_tally.h"

#include "emit/tally/tally.h"
#include "ingest/detect.h"
#include "slice/pair.h"
#include "stats/completeness.h"

static int take_paired(struct ot_pair *pair, struct ot_population *pop, struct ot_err *err)
{
    struct ot_paired paired;
    int code = OT_OK;
    while (code == OT_OK && ot_pair_next(pair, &paired) == OT_OK)
        code = paired.kind == OT_PAIRED_SLICE ? ot_population_add(pop, &paired.slice, err)
                                              : ot_population_add_unclosed(pop, &paired.slice, err);
    return code;
}

static int fold(const struct ot_reader_class *class, struct ot_reader *reader, struct ot_pair *pair,
                struct ot_population *pop, struct ot_err *err)
{
    struct ot_event event;
    int code;
    while ((code = class->next(reader, &event, err)) == OT_OK) {
        code = ot_pair_feed(pair, &event, err);
        if (code == OT_OK)
            code = take_paired(pair, pop, err);
        if (code < 0)
            return code;
    }
    if (code < 0)
        return code;
    ot_pair_end(pair);
    code = take_paired(pair, pop, err);
    ot_counts_add(&pop->counts, ot_pair_counts(pair));
    return code;
}

static int read_population(const char *const *inputs, size_t n_inputs, struct ot_population *pop,
                           struct ot_err *err)
{
    const struct ot_reader_class *class;
    struct ot_reader *reader = NULL;
    struct ot_reader_opts opts = {0};
    int code = ot_detect(inputs, n_inputs, &class, err);
    if (code == OT_OK)
        code = class->open(inputs, n_inputs, &opts, &reader, err);
    if (code < 0)
        return code;
    struct ot_pair *pair = ot_pair_new(&pop->names);
    code = pair ? fold(class, reader, pair, pop, err)
                : ot_err_set(err, OT_ERR_NOMEM, "out of memory for pairing");
    ot_pair_free(pair);
    class->close(reader);
    return code;
}

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

int ot_run_tally(const char *const *inputs, size_t n_inputs, const struct ot_tally_opts *opts,
                 FILE *out, FILE *diag, struct ot_tally_counts *ret_counts, struct ot_err *err)
{
    struct ot_population pop = {0};
    int code = read_population(inputs, n_inputs, &pop, err);
    if (code == OT_OK)
        code = ot_tally_write(&pop, opts, out, diag, err);
    if (code == OT_OK && ret_counts)
        *ret_counts = count(&pop);
    ot_population_release(&pop);
    return code;
}
