/* timeline_chrome.h: inputs as one trace in the JSON of Chrome's traces.
 *
 * A trace of torch.profiler comes out as it is, event by event in its own order with all that the
 * events say and all that stands beside them, but what is damaged is left out (if asked to recover)
 * and what JSON does not allow is replaced: a mended copy. A recording comes out as torch.profiler
 * would have written it.
 */
#ifndef OT_CLI_TIMELINE_CHROME_H
#define OT_CLI_TIMELINE_CHROME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/counts.h"
#include "model/warnings.h"

struct ot_timeline_chrome_opts {
    bool recover;
    _Atomic uint64_t *read_bytes; /* of struct ot_reader_opts */
};

struct ot_timeline_chrome_totals {
    bool is_copy;        /* of a trace of torch.profiler */
    uint64_t n_events;   /* that were written */
    uint64_t n_slices;   /* of these: calls with a beginning and an end */
    uint64_t n_replaced; /* bytes and characters that JSON does not allow; U+FFFD now */

    /* Of recordings. */
    uint64_t n_unfinished; /* calls that were open at the end: they have a beginning alone */
    uint64_t n_left_out;   /* calls of which nobody knows when they began, or when they ended */

    struct ot_counts counts;
    struct ot_warnings warnings;
};

/* Several traces of torch.profiler are OT_ERR_USAGE: the JSON holds one session. Write errors stay
 * in `out`. */
int ot_timeline_chrome(const char *const *inputs, size_t n_inputs,
                       const struct ot_timeline_chrome_opts *opts, FILE *out,
                       struct ot_timeline_chrome_totals *ret_totals, struct ot_err *err);

#endif
