#include "emit/tally/columns.h"

#include <inttypes.h>

static void time_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                      char ret_text[OT_UNITS_BYTES])
{
    (void)cells;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->inclusive_ns);
}

static void percent(int64_t part, int64_t whole, const struct ot_totals *totals,
                    char ret_text[OT_UNITS_BYTES])
{
    if (ot_tally_n_timed(totals) && whole)
        ot_units_percent(ret_text, (uint64_t)part, (uint64_t)whole);
}

static void time_percent_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                              char ret_text[OT_UNITS_BYTES])
{
    percent(totals->inclusive_ns, cells->table->totals.inclusive_ns, totals, ret_text);
}

static void self_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                      char ret_text[OT_UNITS_BYTES])
{
    (void)cells;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->self_ns);
}

static void self_percent_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                              char ret_text[OT_UNITS_BYTES])
{
    percent(totals->self_ns, cells->table->totals.self_ns, totals, ret_text);
}

static void calls_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                       char ret_text[OT_UNITS_BYTES])
{
    (void)cells;
    snprintf(ret_text, OT_UNITS_BYTES, "%" PRIu64, totals->n_calls);
}

static void average_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                         char ret_text[OT_UNITS_BYTES])
{
    if (ot_tally_n_timed(totals))
        ot_units_mean_ns(ret_text, (uint64_t)totals->inclusive_ns, ot_tally_n_timed(totals),
                         cells->thapi);
}

static void min_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                     char ret_text[OT_UNITS_BYTES])
{
    (void)cells;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->min_ns);
}

static void max_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                     char ret_text[OT_UNITS_BYTES])
{
    (void)cells;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->max_ns);
}

static void error_cell(const struct ot_tally_cells *cells, const struct ot_totals *totals,
                       char ret_text[OT_UNITS_BYTES])
{
    (void)cells;
    snprintf(ret_text, OT_UNITS_BYTES, "%" PRIu64, totals->n_errors);
}

const struct ot_tally_column ot_tally_columns[OT_TALLY_COLUMNS] = {
    {"Time", time_cell, OT_SORT_TIME, 4, 0, false, false, false},
    {"Time(%)", time_percent_cell, OT_SORT_TIME, 14, 10, false, false, false},
    {"Self", self_cell, OT_SORT_SELF, 2, 0, true, false, false},
    {"Self(%)", self_percent_cell, OT_SORT_SELF, 13, 10, true, false, false},
    {"Calls", calls_cell, OT_SORT_CALLS, 3, 0, false, false, false},
    {"Average", average_cell, OT_SORT_AVERAGE, 15, 0, false, true, false},
    {"Min", min_cell, OT_SORT_MIN, 17, 0, false, true, false},
    {"Max", max_cell, OT_SORT_MAX, 16, 0, false, true, false},
    {"Error", error_cell, OT_SORT_ERRORS, 1, 0, false, false, true},
};
