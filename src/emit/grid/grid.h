/* grid.h: a table for people.
 *
 * Cells are added row by row, then all is written at once: a column is as wide as its widest cell,
 * one without any text is left out, and the last one is cut to the width that is left. On a
 * terminal those are left out that there is no room for, and a last line says which. Cells are
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
#include "emit/grid/look.h"

enum { OT_GRID_MAX_COLUMNS = 64, OT_GRID_MIN_LAST = 32 };

struct ot_grid_column {
    const char *title;
    bool is_left;  /* aligned */
    unsigned rank; /* of ot_column_fit; the last one's does not matter */
};

struct ot_grid_cell {
    size_t end; /* in the grid's texts */
    enum ot_style style;
};

struct ot_grid {
    const struct ot_grid_column *columns;
    size_t n_columns; /* OT_GRID_MAX_COLUMNS at most */
    const char *indent;
    bool has_no_titles;
    struct ot_str texts; /* of all cells, one behind the other */
    struct ot_grid_cell *cells;
    size_t n_cells;
    size_t cap;
    bool failed;
};

/* The next cell. */
void ot_grid_add(struct ot_grid *grid, struct ot_text text);
void ot_grid_add_styled(struct ot_grid *grid, struct ot_text text, enum ot_style style);

/* Lines are no longer than look->width, as long as OT_GRID_MIN_LAST of it are left for the last
 * column; if that has a title, it can be as short as OT_COLUMN_MIN_NAME on a terminal. */
void ot_grid_write(const struct ot_grid *grid, const struct ot_look *look, FILE *out);

void ot_grid_release(struct ot_grid *grid);

#endif
