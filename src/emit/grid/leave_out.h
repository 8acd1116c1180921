/* leave_out.h: which columns of a table a terminal has no room for. */
#ifndef OT_EMIT_GRID_LEAVE_OUT_H
#define OT_EMIT_GRID_LEAVE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "emit/grid/look.h"

/* From this rank on a column is of less use than names of a good length. */
enum { OT_COLUMN_SPARE = 10 };

/* The cells that a name keeps, however little room there is. */
enum { OT_COLUMN_MIN_NAME = 8 };

struct ot_column_fit {
    const char *title;
    size_t width;  /* with what stands between it and the next; 0: it is not there anyway */
    unsigned rank; /* of those that do not fit the highest goes first; 0: it never goes */
    bool is_left_out;
};

/* Leaves columns out until `width` is enough for the rest and the names: spare ones while these
 * have fewer than `good` cells, others while they have fewer than `least`. Returns what the rest
 * takes, which is too much if only such are left as never go. */
size_t ot_columns_fit(struct ot_column_fit *columns, size_t n_columns, size_t width, size_t good,
                      size_t least);

/* "Left out to fit 80 columns: Mean, Memory", as a line of its own; nothing if there are none. If
 * lines of `width` are too long all the same, a line says that instead. */
void ot_columns_tell_left_out(const struct ot_column_fit *columns, size_t n_columns, size_t width,
                              const struct ot_look *look, FILE *out);

#endif
