/* report.h: an analysis, for programs and for people.
 *
 * docs/formats/analysis-json.md describes the JSON and the CSV, and what each number means. Write
 * errors stay in the FILE, where the caller finds them at the end.
 */
#ifndef OT_EMIT_ANALYSIS_REPORT_H
#define OT_EMIT_ANALYSIS_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "emit/grid/look.h"
#include "stats/analysis.h"

enum ot_analysis_format { OT_ANALYSIS_TEXT, OT_ANALYSIS_JSON, OT_ANALYSIS_CSV };

struct ot_analysis_report {
    const struct ot_analysis *analysis;
    const char *format; /* of the reader, for machines: "kineto" */
    const char *const *inputs;
    size_t n_inputs;
    const char *const *artifacts; /* "sha256:...", one per session */
    const char *commit;           /* of the store; NULL: the inputs are not from there */
};

void ot_analysis_write_json(const struct ot_analysis_report *report, FILE *out);

/* The rows of the operators alone. */
void ot_analysis_write_csv(const struct ot_analysis_report *report, FILE *out);

/* Lines of at most look->width, as far as what has to be said fits into them. OT_ERR_NOMEM: memory
 * is out, and what was written is not whole. */
int ot_analysis_write_text(const struct ot_analysis_report *report, const struct ot_look *look,
                           FILE *out, struct ot_err *err);

/* What stands beside an analysis in that format, as lines for standard error: what was odd, and
 * whatever the format does not say itself. `look`: that of `diag`. */
void ot_analysis_write_notes(const struct ot_analysis *analysis, enum ot_analysis_format format,
                             const struct ot_look *look, FILE *diag);

#endif
