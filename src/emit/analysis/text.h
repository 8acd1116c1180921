/* text.h: the parts of an analysis for people. Private to this folder. */
#ifndef OT_EMIT_ANALYSIS_TEXT_H
#define OT_EMIT_ANALYSIS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "emit/analysis/report.h"

/* A text being written; memory that is out anywhere sets `failed`, which sticks. */
struct ot_analysis_text {
    const struct ot_analysis_report *report;
    const struct ot_look *look;
    FILE *out;
    bool failed;
};

/* The aggregates, and in words what was not recorded or did not happen. */
void ot_analysis_write_facts(struct ot_analysis_text *text);

/* The operators, and the repeated small ones. */
void ot_analysis_write_tables(struct ot_analysis_text *text);

/* "3", or "#3" where the trace does not say and it is the session's number. */
void ot_analysis_add_rank(const struct ot_analysis *analysis, size_t session, struct ot_str *str);

/* Words behind a label in a style, broken into lines of at most look->width that line up below the
 * first. */
void ot_analysis_write_words(struct ot_analysis_text *text, enum ot_style style, const char *label,
                             const struct ot_str *words);

#endif
