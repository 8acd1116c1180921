/* columns.h: the columns of the tables of a report. Private to this folder. */
#ifndef OT_EMIT_REPORT_COLUMNS_H
#define OT_EMIT_REPORT_COLUMNS_H

#include <stdbool.h>

#include "emit/report/page.h"

enum {
    OT_PAGE_KINDS = 3,
    OT_PAGE_OPERATOR_COLUMNS = 14,
    OT_PAGE_BY_INCLUSIVE = 6, /* of these: how rows are chosen and come */
    OT_PAGE_REPEATED_COLUMNS = 6,
    OT_PAGE_BY_CALLS = 3 /* likewise */
};

/* A column is there if the trace has what it shows. */
enum ot_page_need { NEEDS_NOTHING, NEEDS_RANKS, NEEDS_DEVICE, NEEDS_MEMORY, NEEDS_SHAPES };

struct ot_page_column {
    const char *title;
    const char *help;
    void (*put)(struct ot_page *page, const struct ot_operator_row *row); /* an element */
    /* Of host calls or of device work; NULL: a sum would mean nothing. */
    void (*put_total)(struct ot_page *page, bool is_device);
    enum ot_page_need need;
    bool is_text; /* sorted as such, ascending first */
    bool is_left; /* aligned, though not sorted as text */
};

struct ot_page_kind {
    const char *kind;
    const char *words;
};

extern const struct ot_page_kind ot_page_kinds[OT_PAGE_KINDS];
extern const struct ot_page_column ot_page_operator_columns[OT_PAGE_OPERATOR_COLUMNS];
extern const struct ot_page_column ot_page_repeated_columns[OT_PAGE_REPEATED_COLUMNS];

bool ot_page_has(const struct ot_page *page, enum ot_page_need need);

/* --- totals.c: cells of columns ---------------------------------------------------------------
 */

void ot_page_name_total(struct ot_page *page, bool is_device);
void ot_page_calls_total(struct ot_page *page, bool is_device);
void ot_page_self_total(struct ot_page *page, bool is_device);
void ot_page_share_total(struct ot_page *page, bool is_device);
void ot_page_device_total(struct ot_page *page, bool is_device);
void ot_page_allocated_total(struct ot_page *page, bool is_device);

#endif
