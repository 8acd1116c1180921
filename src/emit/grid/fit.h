/* fit.h: text that fits into the cells of a terminal.
 *
 * A character takes as many cells as wcwidth(3) says for the LC_CTYPE that the process has set; one
 * that this locale does not have counts as one cell, and is written as `?` where the terminal takes
 * ASCII alone. Text is untrusted and becomes printable. Any thread.
 */
#ifndef OT_EMIT_GRID_FIT_H
#define OT_EMIT_GRID_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/text.h"

enum { OT_FIT_ANY = 0 /* for a width: as wide as the text is */ };

/* The cells that printable text takes. */
size_t ot_fit_cells(struct ot_text text);

/* Adds `text` in at most `width` cells: cut in the middle, with `[...]` for what is missing.
 * Returns the cells taken. */
size_t ot_fit_add(struct ot_str *str, struct ot_text text, size_t width, bool ascii);

#endif
