/* tally.h: a population as a tally: table, JSON or CSV.
 *
 * The command and the babeltrace2 component both end here, so that they print the same bytes.
 */
#ifndef OT_EMIT_TALLY_TALLY_H
#define OT_EMIT_TALLY_TALLY_H

#include <stdio.h>

#include "base/err.h"
#include "emit/tally/opts.h"
#include "stats/population.h"

/* Writes the tally to `out` and warnings, one line each, to `diag`; flushes `out`. OT_ERR_IO if
 * that fails. */
int ot_tally_write(const struct ot_population *pop, const struct ot_tally_opts *opts, FILE *out,
                   FILE *diag, struct ot_err *err);

#endif
