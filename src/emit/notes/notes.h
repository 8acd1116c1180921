/* notes.h: what there is to say of a result beside it, the same for every verb. */
#ifndef OT_EMIT_NOTES_NOTES_H
#define OT_EMIT_NOTES_NOTES_H

#include <stdio.h>

#include "base/str.h"
#include "emit/grid/look.h"
#include "emit/json/json.h"
#include "model/counts.h"
#include "model/warnings.h"

enum { OT_NOTES_PREFIX_BYTES = 64 };

/* What stands before a warning: `before` ("optally tally: "), then the word. */
void ot_notes_warning_prefix(char ret_prefix[OT_NOTES_PREFIX_BYTES], const char *before,
                             const struct ot_look *look);

/* What was odd about the inputs: a line for each kind, behind `prefix`. */
void ot_notes_write_warnings(const struct ot_warnings *warnings, const char *prefix, FILE *out);

/* The member "completeness" of a JSON result: what was read, what was lost, what was odd. */
void ot_notes_put_completeness(struct ot_json *json, const struct ot_counts *counts,
                               const struct ot_warnings *warnings);

/* Adds why the numbers are lower bounds, on one line; nothing if they are exact. */
void ot_notes_add_reasons(struct ot_str *str, const struct ot_counts *counts);

#endif
