#include "emit/notes/notes.h"

#include <inttypes.h>

#include "emit/analysis/report.h"

static const char verb[] = "optally analyze: ";

static void write_reasons(const struct ot_analysis *analysis, const char *prefix, FILE *diag)
{
    struct ot_str reasons = {0};
    ot_notes_add_reasons(&reasons, &analysis->counts);
    if (reasons.len)
        fprintf(diag, "%slower bounds: %s\n", prefix, ot_str_borrow(&reasons));
    ot_str_release(&reasons);
}

void ot_analysis_write_notes(const struct ot_analysis *analysis, enum ot_analysis_format format,
                             const struct ot_look *look, FILE *diag)
{
    const struct ot_analysis_table *operators = &analysis->operators;
    char prefix[OT_NOTES_PREFIX_BYTES];
    ot_notes_warning_prefix(prefix, verb, look);
    ot_notes_write_warnings(&analysis->warnings, prefix, diag);
    if (format != OT_ANALYSIS_TEXT)
        write_reasons(analysis, prefix, diag);
    if (format == OT_ANALYSIS_CSV && operators->n_rows < operators->n_total)
        fprintf(diag, "%s%zu of %" PRIu64 " operators shown\n", verb, operators->n_rows,
                operators->n_total);
}
