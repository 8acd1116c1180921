/* words.h: what the forms of a comparison have in common. Private to this folder. */
#ifndef OT_EMIT_DIFF_WORDS_H
#define OT_EMIT_DIFF_WORDS_H

#include <stdbool.h>

#include "emit/diff/report.h"
#include "emit/grid/grid.h"

/* "1.20ms"; signed "+1.20ms". */
void ot_diff_add_amount(struct ot_str *str, struct ot_text unit, ot_diff_sum amount,
                        bool is_signed);

/* "+25.00%"; nothing where there was nothing before. */
void ot_diff_add_percent(struct ot_str *str, int64_t change, int64_t before);

/* "[-1.00ms, +2.00ms]"; nothing if there is none. */
void ot_diff_add_interval(struct ot_str *str, struct ot_text unit,
                          const struct ot_diff_interval *interval);

/* Digits, the shortest that say it. */
void ot_diff_add_digits(struct ot_str *str, ot_diff_sum value);

/* "Host busy" for "host_busy_time". */
struct ot_text ot_diff_label(struct ot_text aggregate);

/* Sums that a comparison shows to people, in that order; the last one has no name. */
struct ot_diff_shown {
    const char *aggregate;
    const char *label;
};
extern const struct ot_diff_shown ot_diff_shown[];

/* "3 runs: a.json, b.json, c.json"; of many the first ones. */
void ot_diff_add_side(struct ot_str *str, const struct ot_diff *diff, enum ot_diff_side side);

/* The names of what is not known; nothing if all is. */
void ot_diff_add_not_known(struct ot_str *str, const struct ot_diff *diff);

/* Why there are no intervals, or how far those that there are can be trusted. */
void ot_diff_add_trust(struct ot_str *str, const struct ot_diff *diff);

/* What the rows add up to that have changed and are not shown, and the new and vanished ones. The
 * limit is one for people. */
void ot_diff_add_rest(struct ot_str *str, const struct ot_diff_table *table, int64_t limit);

/* What has not changed is no row for people. */
int64_t ot_diff_limit_for_people(const struct ot_diff_table *table, int64_t limit);

size_t ot_diff_n_shown(const struct ot_diff_table *table, int64_t limit);

/* "Operators by change of self time, 20 of 312 shown" */
void ot_diff_add_title(struct ot_str *str, const struct ot_diff *diff,
                       const struct ot_diff_table *table, int64_t limit);

/* Sums worth a line: known on both sides, and not 0 on both. */
const struct ot_diff_aggregate *ot_diff_shown_aggregate(const struct ot_diff *diff,
                                                        const struct ot_diff_shown *shown);

/* The sum that the measure's table divides up; NULL: there is none. */
const struct ot_diff_aggregate *ot_diff_whole(const struct ot_diff *diff);

/* A column of a table of operators. */
struct ot_diff_column {
    struct ot_grid_column title;
    void (*add)(struct ot_str *str, const struct ot_diff_operator *row,
                enum ot_diff_measure measure);
};
enum { OT_DIFF_COLUMNS = 11 };
extern const struct ot_diff_column ot_diff_columns[OT_DIFF_COLUMNS];

/* The forms. */
int ot_diff_write_text(const struct ot_diff_report *report, const struct ot_look *look, FILE *out,
                       struct ot_err *err);
int ot_diff_write_markdown(const struct ot_diff_report *report, FILE *out, struct ot_err *err);
int ot_diff_write_json(const struct ot_diff_report *report, FILE *out, struct ot_err *err);
void ot_diff_write_csv(const struct ot_diff_report *report, FILE *out);

#endif
