#include "emit/csv/csv.h"

#include <inttypes.h>

#include "emit/diff/words.h"

static void write_if(FILE *out, bool is_there, int64_t value)
{
    putc(',', out);
    if (is_there)
        fprintf(out, "%" PRId64, value);
}

static void write_sum(FILE *out, ot_diff_sum value)
{
    struct ot_str digits = {0};
    ot_diff_add_digits(&digits, value);
    fprintf(out, ",%s", ot_str_borrow(&digits));
    ot_str_release(&digits);
}

static void write_row(FILE *out, const struct ot_diff_operator *row, enum ot_diff_measure measure)
{
    static const char *const presences[] = {
        [OT_DIFF_BOTH] = "both", [OT_DIFF_NEW] = "new", [OT_DIFF_VANISHED] = "vanished"};
    ot_csv_text(out, row->name);
    putc(',', out);
    ot_csv_text(out, row->kind);
    fprintf(out, ",%s", presences[row->presence]);
    for (int i = 0; i < OT_DIFF_MEASURES; i++) {
        const struct ot_diff_change *change = &row->measures[i];
        for (int side = 0; side < OT_DIFF_SIDES; side++)
            write_if(out, change->is_known[side], change->of[side]);
        write_if(out, ot_diff_is_known(change), change->change);
    }
    write_sum(out, row->calls_part);
    write_sum(out, row->value_part);
    write_if(out, row->interval.is_there, row->interval.low);
    write_if(out, row->interval.is_there, row->interval.high);
    fprintf(out, ",%s,%s\r\n", ot_diff_measures[measure].member,
            !row->interval.is_there              ? ""
            : ot_diff_is_evident(&row->interval) ? "true"
                                                 : "false");
}

static void write_table(FILE *out, const struct ot_diff_table *table, int64_t limit)
{
    size_t n = ot_diff_n_shown(table, limit);
    for (size_t i = 0; i < n; i++)
        write_row(out, &table->rows[i], table->measure);
}

void ot_diff_write_csv(const struct ot_diff_report *report, FILE *out)
{
    fputs("name,kind,presence", out);
    for (int i = 0; i < OT_DIFF_MEASURES; i++) {
        const char *member = ot_diff_measures[i].member;
        fprintf(out, ",%s_baseline,%s_candidate,%s_change", member, member, member);
    }
    fputs(",calls_part,value_part,interval_low,interval_high,measure,evident\r\n", out);
    write_table(out, &report->diff->operators, report->limit);
    write_table(out, &report->diff->devices, report->limit);
}
