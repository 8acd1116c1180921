/* leave_out.h: which columns of a table a terminal has no room for. */
#ifndef OT_EMIT_GRID_LEAVE_OUT_H
#define OT_EMIT_GRID_LEAVE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "emit/grid/look.h"

struct ot_column_fit {
    const char *title;
    size_t width;  /* with what stands between it and the next; 0: it is not there anyway */
    unsigned rank; /* of those that do not fit the highest goes first; 0: it never goes */
    bool is_left_out;
};

/* Leaves columns out until `room` is enough for the rest, or only such are left as never go. */
void ot_columns_leave_out(struct ot_column_fit *columns, size_t n_columns, size_t room);

/* "Left out to fit 80 columns: Mean, Memory", as a line of its own; nothing if there are none. */
void ot_columns_tell_left_out(const struct ot_column_fit *columns, size_t n_columns,
                              const struct ot_look *look, FILE *out);

#endif
