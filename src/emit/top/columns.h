/* columns.h: the columns of the live view's tables.
 *
 * Each kind of row has a table of columns, the name last, since that takes what is left; narrow
 * screens leave out those that matter least. Constant data, any thread.
 */
#ifndef OT_EMIT_TOP_COLUMNS_H
#define OT_EMIT_TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/units.h"
#include "emit/top/top.h"

enum { OT_COLUMNS_MAX = 8, OT_COLUMNS_GAP = 1 };

struct ot_column {
    const char *title;
    size_t width;     /* 0: what is left */
    size_t min_width; /* of a screen that has room for it */
    bool is_left;     /* aligned */
    void (*add)(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row);
};

struct ot_columns_place {
    const struct ot_column *column;
    size_t width; /* 0: as wide as it is, or what is left */
};

/* The columns for rows of one kind on a screen of `width` cells (0: any). Returns how many. */
size_t ot_columns_place(enum ot_top_by by, size_t width,
                        struct ot_columns_place ret_places[OT_COLUMNS_MAX]);

/* `n` in `wall_ns`, per second: `0.40`, `812`, `1.23M`; a dash where no time has passed. */
void ot_columns_rate(char ret_text[OT_UNITS_BYTES], uint64_t n, uint64_t wall_ns);

/* `46.0%`, likewise. */
void ot_columns_share(char ret_text[OT_UNITS_BYTES], uint64_t part_ns, uint64_t wall_ns);

#endif
