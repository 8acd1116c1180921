/* run_tally.h: from traces to a printed tally, for every verb that ends in one.
 *
 * Reads all inputs together (they are the parts of one job), folds them and prints the tally as
 * `opts` asks; with `recover`, what is damaged is skipped and said. Results go to `out`, warnings
 * to `diag`. Holds nothing after it returns.
 */
#ifndef OT_CLI_RUN_TALLY_H
#define OT_CLI_RUN_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "emit/tally/opts.h"

struct ot_tally_counts {
    uint64_t events_read;
    uint64_t calls;         /* of every backend, failed ones included */
    uint64_t pytorch_calls; /* of them, PyTorch operators */
    bool exact;             /* nothing was discarded, unmatched or left open */
};

/* `ret_counts` may be NULL. An empty but valid trace is OT_OK with counts of 0 and a line on
 * `diag`. A failed write is OT_ERR_IO; `out` is flushed before the return. The sentence in `err`
 * names the input at fault. Whether an incomplete trace is a failure (`--strict`) is left to the
 * caller. */
int ot_run_tally(const char *const *inputs, size_t n_inputs, bool recover,
                 const struct ot_tally_opts *opts, FILE *out, FILE *diag,
                 struct ot_tally_counts *ret_counts, struct ot_err *err);

#endif
