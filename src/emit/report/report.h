/* report.h: an analysis as one HTML page that needs nothing beside it.
 *
 * Tables, numbers and pictures are plain HTML and SVG, so that the page can be read and printed
 * without its script, which sorts, filters, zooms and switches colours. Every text from a trace is
 * escaped. The same input gives the same bytes: there is no clock in it. Write errors stay in the
 * FILE, where the caller finds them at the end.
 */
#ifndef OT_EMIT_REPORT_REPORT_H
#define OT_EMIT_REPORT_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "stats/activity.h"
#include "stats/analysis.h"
#include "stats/population.h"
#include "stats/stacks.h"

struct ot_report {
    const struct ot_analysis *analysis;
    const struct ot_population *pop; /* what it is of */
    const struct ot_stacks *stacks;
    const struct ot_activity *activity;
    const char *title;  /* NULL: named after the input */
    const char *format; /* of the reader, for machines: "kineto" */
    const char *const *inputs;
    size_t n_inputs;
    const char *const *artifacts; /* "sha256:...", one per session */
};

/* OT_ERR_NOMEM: memory is out, and what was written is not whole. */
int ot_report_write(const struct ot_report *report, FILE *out, struct ot_err *err);

#endif
