/* activity.c: how busy each thread and device was over time, those of a session below each other.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "emit/report/strip.h"

/* Lines on the page; of one session at least so many; and how many of these are seen at once. */
enum { MAX_STRIPS = 64, MIN_STRIPS = 4, OPEN_STRIPS = 12 };

/* The lines of one session in the order in which they are drawn. */
struct lines {
    const struct ot_activity_line **items;
    size_t n;
    size_t n_threads;
    size_t n_devices;
    struct ot_activity_span span;
    bool has_hosts; /* threads of several: a thread says which one is its own */
    bool has_processes;
};

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

static void collect(const struct ot_page *page, uint32_t session, struct lines *lines)
{
    const struct ot_activity *activity = page->report->activity;
    const struct ot_activity_line *first = NULL;
    lines->n = lines->n_threads = lines->n_devices = 0;
    lines->has_hosts = lines->has_processes = false;
    for (size_t i = 0; i < activity->n_lines; i++) {
        const struct ot_activity_line *line = &activity->lines[i];
        if (line->session != session || line->kind == OT_ACTIVITY_MEMORY)
            continue;
        lines->items[lines->n++] = line;
        lines->n_devices += line->kind == OT_ACTIVITY_DEVICE;
        if (line->kind != OT_ACTIVITY_THREAD)
            continue;
        first = first ? first : line;
        lines->n_threads++;
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

static void put_line_name(struct ot_page *page, const struct lines *lines,
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
        ot_html_putf(html, "thread %" PRIu64, line->vtid);
    }
}

static int64_t width_of(const struct ot_activity_span *span, uint32_t bin)
{
    return ot_activity_bin_start(span, bin + 1) - ot_activity_bin_start(span, bin);
}

static int64_t len_of(const struct ot_activity_span *span)
{
    int64_t len_ns = 0;
    return __builtin_sub_overflow(span->end_ns, span->start_ns, &len_ns) ? INT64_MAX : len_ns;
}

static void begin_row(struct ot_page *page, const char *class)
{
    ot_html_putf(&page->html, "<div class=\"track %s\"><div class=who>", class);
}

/* "1.64 s" and "94.4%" or "3.2 at once". */
static void put_busy(struct ot_page *page, int64_t busy_ns, const struct ot_activity_span *span)
{
    ot_page_put_at_least(page);
    ot_html_ns(&page->html, busy_ns);
    ot_html_put(&page->html, "</span><span class=n>");
    ot_html_percent(&page->html, busy_ns, len_of(span));
}

static void put_line(struct ot_page *page, const struct lines *lines,
                     const struct ot_activity_line *line, double *shares)
{
    struct ot_html *html = &page->html;
    uint32_t n_bins = lines->span.n_bins;
    uint32_t busiest = 0;
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        int64_t width_ns = width_of(&lines->span, bin);
        shares[bin] = width_ns ? (double)line->values[bin] / (double)width_ns : 0;
        if (shares[bin] > shares[busiest])
            busiest = bin;
    }
    const char *class = line->kind == OT_ACTIVITY_DEVICE ? "device" : "host";
    begin_row(page, class);
    put_line_name(page, lines, line);
    ot_html_put(html, "</div>");
    ot_page_begin_strip(page, class);
    ot_html_put(html, "busy ");
    ot_html_percent(html, line->total, len_of(&lines->span));
    ot_html_put(html, " of the span, first at its most at ");
    ot_page_put_moment(page, &lines->span, busiest);
    ot_page_end_strip(page, shares, n_bins);
    ot_html_put(html, "<div class=much><span class=n>");
    put_busy(page, line->total, &lines->span);
    ot_html_put(html, "</span></div></div>\n");
}

/* How many of them were busy at once: their lines on top of each other. */
static void put_sum(struct ot_page *page, const struct lines *lines, enum ot_activity_kind kind,
                    double *sums)
{
    struct ot_html *html = &page->html;
    bool is_device = kind == OT_ACTIVITY_DEVICE;
    size_t n_lines = is_device ? lines->n_devices : lines->n_threads;
    if (n_lines < 2)
        return;
    uint32_t n_bins = lines->span.n_bins;
    double most = 1;
    double total_ns = 0;
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        int64_t width_ns = width_of(&lines->span, bin);
        sums[bin] = 0;
        for (size_t i = 0; i < lines->n && width_ns; i++) {
            if (lines->items[i]->kind == kind)
                sums[bin] += (double)lines->items[i]->values[bin] / (double)width_ns;
        }
        total_ns += sums[bin] * (double)width_ns;
        most = sums[bin] > most ? sums[bin] : most;
    }
    for (uint32_t bin = 0; bin < n_bins; bin++)
        sums[bin] /= most;
    double mean = total_ns / (double)len_of(&lines->span);
    begin_row(page, is_device ? "device sum" : "host sum");
    ot_html_putf(html, "all %zu %s</div>", n_lines, is_device ? "devices" : "threads");
    ot_page_begin_strip(page, is_device ? "device" : "host");
    ot_html_putf(html, "%.2f busy at once on average, %.2f at most", mean, most);
    ot_page_end_strip(page, sums, n_bins);
    ot_html_putf(html, "<div class=much><span class=n>mean %.2f</span><span class=n>", mean);
    ot_html_putf(html, "max %.2f</span></div></div>\n", most);
}

static int64_t busy_of(const struct lines *lines, size_t from, size_t end)
{
    int64_t busy_ns = 0;
    for (size_t i = from; i < end; i++) {
        if (__builtin_add_overflow(busy_ns, lines->items[i]->total, &busy_ns))
            busy_ns = INT64_MAX;
    }
    return busy_ns;
}

static void put_lines(struct ot_page *page, const struct lines *lines, size_t from, size_t end,
                      double *shares)
{
    for (size_t i = from; i < end; i++)
        put_line(page, lines, lines->items[i], shares);
    ot_html_put(&page->html, "<div class=track><div class=who></div>");
    ot_page_put_axis(page, &lines->span);
    ot_html_put(&page->html, "<div class=much></div></div>\n");
}

/* Those that do less, at the reader's wish. */
static void put_closed_lines(struct ot_page *page, const struct lines *lines, size_t from,
                             size_t end, double *shares)
{
    if (from == end)
        return;
    ot_html_putf(&page->html, "<details><summary>%zu more, busy ", end - from);
    ot_page_put_at_least(page);
    ot_html_ns(&page->html, busy_of(lines, from, end));
    ot_html_put(&page->html, " together</summary>\n");
    put_lines(page, lines, from, end, shares);
    ot_html_put(&page->html, "</details>\n");
}

static void put_left_out(struct ot_page *page, const struct lines *lines, size_t n_shown)
{
    if (n_shown == lines->n)
        return;
    ot_html_putf(&page->html,
                 "<p class=shown>%zu of %zu lines drawn, the busiest; the others were ", n_shown,
                 lines->n);
    ot_html_put(&page->html, "busy ");
    ot_page_put_at_least(page);
    ot_html_ns(&page->html, busy_of(lines, n_shown, lines->n));
    ot_html_put(&page->html, " together.</p>\n");
}

static void put_session(struct ot_page *page, uint32_t session, struct lines *lines, double *shares)
{
    size_t n_sessions = page->report->analysis->n_sessions;
    size_t max_strips = n_sessions ? MAX_STRIPS / n_sessions : MAX_STRIPS;
    if (max_strips < MIN_STRIPS)
        max_strips = MIN_STRIPS;
    if (!ot_page_span_of(page, session, &lines->span))
        return;
    collect(page, session, lines);
    if (lines->n == 0)
        return;
    if (n_sessions > 1) {
        ot_html_put(&page->html, "<h3>Rank ");
        ot_page_put_rank(page, session);
        ot_html_put(&page->html, ", in its own time</h3>\n");
    }
    ot_html_put(&page->html, "<div class=tracks>\n");
    put_sum(page, lines, OT_ACTIVITY_DEVICE, shares);
    put_sum(page, lines, OT_ACTIVITY_THREAD, shares);
    size_t n_shown = lines->n < max_strips ? lines->n : max_strips;
    size_t n_open = n_shown < OPEN_STRIPS ? n_shown : OPEN_STRIPS;
    put_lines(page, lines, 0, n_open, shares);
    put_closed_lines(page, lines, n_open, n_shown, shares);
    ot_html_put(&page->html, "</div>\n");
    put_left_out(page, lines, n_shown);
}

void ot_page_activity(struct ot_page *page)
{
    const struct ot_activity *activity = page->report->activity;
    struct lines lines = {
        .items = calloc(activity->n_lines + 1, sizeof(const struct ot_activity_line *))};
    double *shares = calloc(activity->opts.n_bins, sizeof(*shares));
    ot_page_begin_section(page, "activity", "Activity");
    ot_html_put(&page->html,
                "<p>How much of each moment a thread was inside an operator or a call into a "
                "runtime, and a device had work. Time runs from the first call to the end of the "
                "last one.</p>\n");
    page->html.failed |= !lines.items || !shares;
    for (size_t i = 0; i < page->report->analysis->n_sessions && !page->html.failed; i++)
        put_session(page, page->sessions[i], &lines, shares);
    if (activity->n_left_out)
        ot_html_putf(&page->html,
                     "<p class=shown>%" PRIu64 " more threads and devices found no room here; "
                     "the numbers count them.</p>\n",
                     activity->n_left_out);
    ot_html_put(&page->html, "</section>\n");
    free(lines.items);
    free(shares);
}
