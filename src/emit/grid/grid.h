/* grid.h: a table for people.
 *
 * Cells are added row by row, then all is written at once: a column is as wide as its widest cell,
 * one without any text is left out, and the last one is cut to the width that is left. Cells are
 * untrusted and become printable. Running out of memory sets `failed`, which sticks. A zeroed
 * struct with `columns` and `n_columns` is an empty table. One thread.
 */
#ifndef OT_EMIT_GRID_GRID_H
#define OT_EMIT_GRID_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text.h"

enum { OT_GRID_MAX_COLUMNS = 16, OT_GRID_MIN_LAST = 32 };

struct ot_grid_column {
    const char *title;
    bool is_left; /* aligned */
};

struct ot_grid {
    const struct ot_grid_column *columns;
    size_t n_columns; /* OT_GRID_MAX_COLUMNS at most */
    const char *indent;
    bool has_no_titles;
    struct ot_str texts; /* of all cells, one behind the other */
    size_t *ends;        /* of each in `texts` */
    size_t n_cells;
    size_t cap;
    bool failed;
};

/* The next cell. */
void ot_grid_add(struct ot_grid *grid, struct ot_text text);

/* Lines are no longer than `width` code points, as long as OT_GRID_MIN_LAST of them are left for
 * the last column. */
void ot_grid_write(const struct ot_grid *grid, size_t width, FILE *out);

void ot_grid_release(struct ot_grid *grid);

#endif
