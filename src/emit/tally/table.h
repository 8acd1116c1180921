/* table.h: one table of a tally while it is printed. Private to this folder. */
#ifndef OT_EMIT_TALLY_TABLE_H
#define OT_EMIT_TALLY_TABLE_H

#include "base/str.h"
#include "emit/grid/leave_out.h"
#include "emit/tally/columns.h"

/* What stands between two columns. */
#define OT_TALLY_GAP " | "
enum { OT_TALLY_GAP_LEN = sizeof(OT_TALLY_GAP) - 1 };

struct ot_tally_table {
    const struct ot_tally *tally;
    const struct ot_tally_cells *cells;
    struct ot_look look;
    size_t name_width;
    struct ot_column_fit columns[OT_TALLY_COLUMNS]; /* widths without the gap */
    size_t width;                                   /* of a line on a terminal; 0: whatever it is */
    struct ot_str line;
};

/* Says how wide columns and names are, and on a terminal which columns are left out. */
void ot_tally_table_fit(struct ot_tally_table *table);

/* Not in this table at all. */
bool ot_tally_table_lacks(const struct ot_tally_table *table, const struct ot_tally_column *column);

/* Its room is kept, but nothing is written there. */
bool ot_tally_table_hides(const struct ot_tally_table *table, const struct ot_tally_column *column);

/* What stands above the names of the rows; adds that of one. */
const char *ot_tally_table_name_title(const struct ot_tally_table *table);
void ot_tally_table_add_name(const struct ot_tally_table *table, const struct ot_view_row *row,
                             struct ot_str *str);

#endif
