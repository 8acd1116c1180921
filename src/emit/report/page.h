/* page.h: the sections of a report, each a file of this folder. Private to it. */
#ifndef OT_EMIT_REPORT_PAGE_H
#define OT_EMIT_REPORT_PAGE_H

#include <stdbool.h>

#include "emit/report/html.h"
#include "emit/report/report.h"

/* Code points of a name, of a list of shapes, of a path or message. */
enum { OT_PAGE_NAME_SIZE = 300, OT_PAGE_SHAPES_SIZE = 160, OT_PAGE_TEXT_SIZE = 1000 };

/* Names of operators are whole, since a filter looks for any part of them: up to so many bytes
 * each, and so many on the page beyond what cut ones would take. */
enum { OT_PAGE_WHOLE_NAME_BYTES = 8000, OT_PAGE_NAMES_BYTES = 200000 };

struct ot_page {
    struct ot_html html;
    const struct ot_report *report;
    uint32_t *sessions; /* their numbers, by rank */
    uint32_t *places;   /* of each session: where it is among these */
    bool *has_twin;     /* of each session: another one says that it is of the same rank */
    int64_t name_bytes_left;
    uint64_t n_cut_names;
};

void ot_page_notes(struct ot_page *page);
void ot_page_numbers(struct ot_page *page);
void ot_page_activity(struct ot_page *page);
void ot_page_memory(struct ot_page *page);
int ot_page_flame(struct ot_page *page, struct ot_err *err);
void ot_page_operators(struct ot_page *page);
void ot_page_repeated(struct ot_page *page);
void ot_page_about(struct ot_page *page);

/* --- ranks.c: what the sessions of a job are called ---------------------------------------------
 */

/* False if memory is out. What was made is freed by the page's owner. */
bool ot_page_order_sessions(struct ot_page *page);

/* "3", or "#3" where the trace does not say, and "3 (#5)" if several say the same. */
void ot_page_put_rank(struct ot_page *page, size_t session);

/* --- parts.c: what a number is made of ----------------------------------------------------------
 */

/* In the aggregate's unit. */
void ot_page_put_value(struct ot_page *page, const struct ot_aggregate *aggregate, int64_t value);

void ot_page_put_part_label(struct ot_page *page, const struct ot_aggregate *aggregate,
                            const struct ot_aggregate_part *part);

/* As a list, by rank; with their shares of `whole`, unless that is 0. */
void ot_page_put_parts(struct ot_page *page, const struct ot_aggregate *aggregate, int64_t whole);

/* --- words.c: what several sections say --------------------------------------------------------
 */

/* "<section id=... aria-labelledby=...><h2>"; closed by the caller. `title` is markup. */
void ot_page_begin_section(struct ot_page *page, const char *id, const char *title);

/* "torch.profiler trace", "recordings of optally". */
const char *ot_page_format(const struct ot_report *report, bool is_one);

/* "≥ " where numbers are lower bounds. */
void ot_page_put_at_least(struct ot_page *page);

/* "1 call", "1,234 calls"; both words are markup. */
void ot_page_put_count(struct ot_page *page, uint64_t n, const char *one, const char *many);

/* NULL if there is none of that name. */
const struct ot_aggregate *ot_page_aggregate(const struct ot_page *page, const char *name);

/* Its value where it is known, else 0. */
int64_t ot_page_value(const struct ot_page *page, const char *aggregate);

/* From the first slice to the end of the last one; 0 if that means nothing. */
int64_t ot_page_span_ns(const struct ot_page *page);

/* Whether the trace holds this, by its name among the analysis's coverage. */
bool ot_page_covers(const struct ot_page *page, const char *coverage);

#endif
