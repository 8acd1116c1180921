#include "emit/report/lines.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct ot_activity_line *line_a = *(const struct ot_activity_line *const *)a;
    const struct ot_activity_line *line_b = *(const struct ot_activity_line *const *)b;
    if (line_a->kind != line_b->kind)
        return line_a->kind == OT_ACTIVITY_DEVICE ? -1 : 1;
    if (line_a->total != line_b->total)
        return line_a->total > line_b->total ? -1 : 1;
    return line_a < line_b ? -1 : 1; /* of one array */
}

void ot_page_collect_lines(const struct ot_page *page, uint32_t session,
                           struct ot_page_lines *lines)
{
    const struct ot_activity *activity = page->report->activity;
    const struct ot_activity_line *first = NULL;
    *lines = (struct ot_page_lines){
        .items = lines->items,
        .devices = ot_activity_sum_of(activity, session, OT_ACTIVITY_DEVICE),
        .threads = ot_activity_sum_of(activity, session, OT_ACTIVITY_THREAD),
    };
    for (size_t i = 0; i < activity->n_lines; i++) {
        const struct ot_activity_line *line = &activity->lines[i];
        if (line->session != session || line->kind == OT_ACTIVITY_MEMORY)
            continue;
        lines->items[lines->n++] = line;
        if (line->kind != OT_ACTIVITY_THREAD)
            continue;
        first = first ? first : line;
        lines->has_hosts |= line->host != first->host;
        lines->has_processes |= line->vpid != first->vpid;
    }
    if (lines->n)
        qsort(lines->items, lines->n, sizeof(const struct ot_activity_line *), compare);
}

static void put_name(struct ot_page *page, uint32_t id)
{
    ot_html_text(&page->html, ot_names_text(&page->report->pop->names, id), OT_PAGE_NAME_SIZE);
}

static void put_line_name(struct ot_page *page, const struct ot_page_lines *lines,
                          const struct ot_activity_line *line)
{
    struct ot_html *html = &page->html;
    const struct ot_population *pop = page->report->pop;
    uint32_t id = 0;
    if (line->kind == OT_ACTIVITY_DEVICE) {
        ot_html_put(html, "device ");
        if (line->device < pop->n_devices)
            put_name(page, pop->devices[line->device].label);
        return;
    }
    if (lines->has_hosts) {
        put_name(page, line->host);
        ot_html_put(html, ", ");
    }
    if (lines->has_processes) {
        ot_html_put(html, "process ");
        if (ot_vpid_is_name(&pop->names, line->vpid, &id))
            put_name(page, id);
        else
            ot_html_putf(html, "%" PRId64, line->vpid);
        ot_html_put(html, ", ");
    }
    if (ot_vtid_is_name(&pop->names, line->vtid, &id)) {
        ot_html_put(html, "thread ");
        put_name(page, id);
    } else if (lines->has_processes && (uint64_t)line->vpid == line->vtid) {
        ot_html_put(html, "main thread");
    } else {
        ot_html_putf(html, "thread %" PRId64, ot_vtid_number(line->vtid));
    }
}

static void begin_row(struct ot_page *page, const char *class)
{
    ot_html_putf(&page->html, "<div class=\"track %s\"><div class=who>", class);
}

/* How many were busy in each bin; returns the bin that has the most. */
static uint32_t share_out(const int64_t *values, const struct ot_activity_span *span,
                          double *ret_shares)
{
    uint32_t most = 0;
    for (uint32_t bin = 0; bin < span->n_bins; bin++) {
        int64_t width_ns = ot_activity_bin_start(span, bin + 1) - ot_activity_bin_start(span, bin);
        ret_shares[bin] = width_ns ? (double)values[bin] / (double)width_ns : 0;
        if (ret_shares[bin] > ret_shares[most])
            most = bin;
    }
    return most;
}

void ot_page_put_line(struct ot_page *page, const struct ot_page_lines *lines,
                      const struct ot_activity_line *line, double *shares)
{
    struct ot_html *html = &page->html;
    const struct ot_activity_span *span = &line->span;
    const char *class = line->kind == OT_ACTIVITY_DEVICE ? "device" : "host";
    uint32_t busiest = share_out(line->values, span, shares);
    begin_row(page, class);
    put_line_name(page, lines, line);
    ot_html_put(html, "</div>");
    ot_page_begin_strip(page, class, span);
    ot_html_put(html, "busy ");
    ot_html_percent(html, line->total, ot_activity_span_ns(span));
    ot_html_put(html, " of the span, first at its most at ");
    ot_page_put_moment(page, span, busiest);
    ot_page_end_strip(page, shares, span);
    ot_html_put(html, "<div class=much><span class=n>");
    ot_page_put_at_least(page);
    ot_html_ns(html, line->total);
    ot_html_put(html, "</span><span class=n>");
    ot_html_percent(html, line->total, ot_activity_span_ns(span));
    ot_html_put(html, "</span></div></div>\n");
}

static void put_sum_name(struct ot_page *page, const struct ot_activity_sum *sum,
                         enum ot_activity_kind kind, int64_t rank)
{
    bool is_device = kind == OT_ACTIVITY_DEVICE;
    if (rank >= 0) {
        ot_html_put(&page->html, "rank ");
        ot_page_put_rank(page, (size_t)rank);
        ot_html_put(&page->html, ", ");
    }
    ot_html_put(&page->html, rank < 0 ? "all " : sum->n > 1 ? "its " : "");
    ot_page_put_count(page, sum->n, is_device ? "device" : "thread",
                      is_device ? "devices" : "threads");
}

void ot_page_put_sum(struct ot_page *page, const struct ot_activity_sum *sum,
                     enum ot_activity_kind kind, int64_t rank, double *shares)
{
    struct ot_html *html = &page->html;
    const char *class = kind == OT_ACTIVITY_DEVICE ? "device" : "host";
    int64_t span_ns = ot_activity_span_ns(&sum->span);
    double most = shares[share_out(sum->values, &sum->span, shares)];
    double mean = span_ns ? (double)sum->total / (double)span_ns : 0;
    for (uint32_t bin = 0; bin < sum->span.n_bins && most > 1; bin++)
        shares[bin] /= most;
    begin_row(page, rank < 0 ? "sum" : class);
    put_sum_name(page, sum, kind, rank);
    ot_html_put(html, "</div>");
    ot_page_begin_strip(page, class, &sum->span);
    ot_html_putf(html, "%.2f busy at once on average, %.2f at most", mean, most);
    ot_page_end_strip(page, shares, &sum->span);
    ot_html_putf(html, "<div class=much><span class=n>mean %.2f</span><span class=n>", mean);
    ot_html_putf(html, "max %.2f</span></div></div>\n", most);
}

void ot_page_put_times(struct ot_page *page, const struct ot_activity_span *span)
{
    ot_html_put(&page->html, "<div class=track><div class=who></div>");
    ot_page_put_axis(page, span);
    ot_html_put(&page->html, "<div class=much></div></div>\n");
}
