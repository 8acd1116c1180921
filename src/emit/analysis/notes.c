#include "emit/notes/notes.h"

#include <inttypes.h>

#include "emit/analysis/report.h"

#define PREFIX  "optally analyze: "
#define WARNING PREFIX "warning: "

static void write_reasons(const struct ot_analysis *analysis, FILE *diag)
{
    struct ot_str reasons = {0};
    ot_notes_add_reasons(&reasons, &analysis->counts);
    if (reasons.len)
        fprintf(diag, WARNING "lower bounds: %s\n", ot_str_borrow(&reasons));
    ot_str_release(&reasons);
}

void ot_analysis_write_notes(const struct ot_analysis *analysis, enum ot_analysis_format format,
                             FILE *diag)
{
    const struct ot_analysis_table *operators = &analysis->operators;
    ot_notes_write_warnings(&analysis->warnings, WARNING, diag);
    if (format != OT_ANALYSIS_TEXT)
        write_reasons(analysis, diag);
    if (format == OT_ANALYSIS_CSV && operators->n_rows < operators->n_total)
        fprintf(diag, PREFIX "%zu of %" PRIu64 " operators shown\n", operators->n_rows,
                operators->n_total);
}
