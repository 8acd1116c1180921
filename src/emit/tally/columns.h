/* columns.h: the columns of a tally's table, but for the first one. Private to this folder. */
#ifndef OT_EMIT_TALLY_COLUMNS_H
#define OT_EMIT_TALLY_COLUMNS_H

#include "base/units.h"
#include "emit/tally/format.h"

/* What a cell depends on, beside its row. */
struct ot_tally_cells {
    const struct ot_view_table *table;
    bool thapi;
};

struct ot_tally_column {
    const char *title;

    /* A cell that has nothing to say stays empty. */
    void (*write)(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                  char ret_text[OT_UNITS_BYTES]);

    enum ot_sort sort;    /* the order that goes by it */
    unsigned rank;        /* of ot_column_fit */
    unsigned sorted_rank; /* that of what the rows are in the order of */
    bool is_self;         /* not in THAPI's table */
    bool has_no_total;    /* hidden in the Total row */
    bool is_for_failures; /* hidden where no call failed */
};

enum { OT_TALLY_COLUMNS = 9 };
extern const struct ot_tally_column ot_tally_columns[OT_TALLY_COLUMNS];

#endif
