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
    {"Time", OT_SORT_TIME, time_cell, false, false, false, 0},
    {"Time(%)", OT_SORT_TIME, time_percent_cell, false, false, false, 4},
    {"Self", OT_SORT_SELF, self_cell, true, false, false, 0},
    {"Self(%)", OT_SORT_SELF, self_percent_cell, true, false, false, 3},
    {"Calls", OT_SORT_CALLS, calls_cell, false, false, false, 0},
    {"Average", OT_SORT_AVERAGE, average_cell, false, true, false, 5},
    {"Min", OT_SORT_MIN, min_cell, false, true, false, 7},
    {"Max", OT_SORT_MAX, max_cell, false, true, false, 6},
    {"Error", OT_SORT_ERRORS, error_cell, false, false, true, 0},
};
