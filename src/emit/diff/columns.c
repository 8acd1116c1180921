#include "emit/diff/words.h"

static const struct ot_diff_change *change_of(const struct ot_diff_operator *row,
                                              enum ot_diff_measure measure)
{
    return &row->measures[measure];
}

static struct ot_text unit_of(enum ot_diff_measure measure)
{
    return ot_text_of(ot_diff_measures[measure].unit);
}

static void change_cell(struct ot_str *str, const struct ot_diff_operator *row,
                        enum ot_diff_measure measure)
{
    ot_diff_add_amount(str, unit_of(measure), change_of(row, measure)->change, true);
}

static void percent_cell(struct ot_str *str, const struct ot_diff_operator *row,
                         enum ot_diff_measure measure)
{
    ot_diff_add_percent(str, change_of(row, measure)->change,
                        change_of(row, measure)->of[OT_DIFF_BASELINE]);
}

/* The parts say something only of what has calls on both sides. */
static void calls_part_cell(struct ot_str *str, const struct ot_diff_operator *row,
                            enum ot_diff_measure measure)
{
    if (measure != OT_DIFF_CALLS && row->presence == OT_DIFF_BOTH)
        ot_diff_add_amount(str, unit_of(measure), row->calls_part, true);
}

static void value_part_cell(struct ot_str *str, const struct ot_diff_operator *row,
                            enum ot_diff_measure measure)
{
    if (measure != OT_DIFF_CALLS && row->presence == OT_DIFF_BOTH)
        ot_diff_add_amount(str, unit_of(measure), row->value_part, true);
}

static void before_cell(struct ot_str *str, const struct ot_diff_operator *row,
                        enum ot_diff_measure measure)
{
    ot_diff_add_amount(str, unit_of(measure), change_of(row, measure)->of[OT_DIFF_BASELINE], false);
}

static void after_cell(struct ot_str *str, const struct ot_diff_operator *row,
                       enum ot_diff_measure measure)
{
    ot_diff_add_amount(str, unit_of(measure), change_of(row, measure)->of[OT_DIFF_CANDIDATE],
                       false);
}

static void calls_cell(struct ot_str *str, const struct ot_diff_operator *row,
                       enum ot_diff_measure measure)
{
    const struct ot_diff_change *calls = change_of(row, OT_DIFF_CALLS);
    if (measure == OT_DIFF_CALLS)
        return;
    ot_diff_add_amount(str, ot_text_of("calls"), calls->of[OT_DIFF_BASELINE], false);
    if (calls->change == 0)
        return;
    ot_str_addf(str, " -> ");
    ot_diff_add_amount(str, ot_text_of("calls"), calls->of[OT_DIFF_CANDIDATE], false);
}

static void interval_cell(struct ot_str *str, const struct ot_diff_operator *row,
                          enum ot_diff_measure measure)
{
    ot_diff_add_interval(str, unit_of(measure), &row->interval);
}

static void note_cell(struct ot_str *str, const struct ot_diff_operator *row,
                      enum ot_diff_measure measure)
{
    static const char *const notes[] = {
        [OT_DIFF_BOTH] = "", [OT_DIFF_NEW] = "new", [OT_DIFF_VANISHED] = "gone"};
    (void)measure;
    ot_str_addf(str, "%s", notes[row->presence]);
    if (row->interval.is_there && !ot_diff_is_evident(&row->interval))
        ot_str_addf(str, "%sno evidence", str->len ? ", " : "");
}

/* What is an operator, or in the table of device work, goes without saying. */
static void kind_cell(struct ot_str *str, const struct ot_diff_operator *row,
                      enum ot_diff_measure measure)
{
    (void)measure;
    if (ot_text_same(row->kind, ot_text_of("runtime")))
        ot_str_add_text(str, row->kind);
}

static void name_cell(struct ot_str *str, const struct ot_diff_operator *row,
                      enum ot_diff_measure measure)
{
    (void)measure;
    ot_str_add_text(str, row->name);
}

const struct ot_diff_column ot_diff_columns[OT_DIFF_COLUMNS] = {
    {{"Change", false, 0}, change_cell},
    {{"Change(%)", false, 3}, percent_cell},
    {{"By calls", false, 5}, calls_part_cell},
    {{"By cost", false, 4}, value_part_cell},
    {{"Before", false, 12}, before_cell},
    {{"After", false, 13}, after_cell},
    {{"Calls", false, 10}, calls_cell},
    {{"95 % interval", false, 2}, interval_cell},
    {{"Note", true, 1}, note_cell},
    {{"Kind", true, 11}, kind_cell},
    {{"Name", true, 0}, name_cell},
};
