/* report.h: what changed, for programs and for people.
 *
 * docs/formats/diff-json.md describes the JSON and the CSV, and what each number means. Write
 * errors stay in the FILE, where the caller finds them at the end.
 */
#ifndef OT_EMIT_DIFF_REPORT_H
#define OT_EMIT_DIFF_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "diff/diff.h"
#include "emit/grid/look.h"

enum ot_diff_format { OT_DIFF_TEXT, OT_DIFF_JSON, OT_DIFF_CSV, OT_DIFF_MARKDOWN };

struct ot_diff_report {
    const struct ot_diff *diff;       /* finished */
    const struct ot_diff_gate *gates; /* judged */
    size_t n_gates;
    int64_t limit; /* rows of each table that are shown; -1: all */
};

/* `look` is for text alone. OT_ERR_NOMEM: memory is out, and what was written is not whole. */
int ot_diff_write(const struct ot_diff_report *report, enum ot_diff_format format,
                  const struct ot_look *look, FILE *out, struct ot_err *err);

/* "host busy time: +25.00 % is above 10 %: failed" */
void ot_diff_add_verdict(struct ot_str *str, const struct ot_diff *diff,
                         const struct ot_diff_gate *gate);

#endif
