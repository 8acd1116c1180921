/* lines.h: the rows of the activity: a thread, a device, or all of a kind together. Private to this
 * folder.
 */
#ifndef OT_EMIT_REPORT_LINES_H
#define OT_EMIT_REPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "emit/report/strip.h"

/* The lines of one session in the order in which they are drawn: devices, then threads, the busiest
 * first. Some threads and devices may have none; `devices` and `threads` are of all of them. */
struct ot_page_lines {
    const struct ot_activity_line **items;
    size_t n;
    const struct ot_activity_sum *devices; /* NULL: there are none */
    const struct ot_activity_sum *threads; /* likewise */
    bool has_hosts; /* threads of several: a thread says which one is its own */
    bool has_processes;
};

/* `items` has room for all lines of the report. */
void ot_page_collect_lines(const struct ot_page *page, uint32_t session,
                           struct ot_page_lines *lines);

/* `shares` has room for all bins. */
void ot_page_put_line(struct ot_page *page, const struct ot_page_lines *lines,
                      const struct ot_activity_line *line, double *shares);

/* How many were busy at once; `rank` is a session that the row is named after, or -1. */
void ot_page_put_sum(struct ot_page *page, const struct ot_activity_sum *sum,
                     enum ot_activity_kind kind, int64_t rank, double *shares);

/* The row below, with the times. */
void ot_page_put_times(struct ot_page *page, const struct ot_activity_span *span);

#endif
