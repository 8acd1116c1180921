/* memory.c: how much was allocated over time, per device. */
#include <stdlib.h>

#include "emit/report/strip.h"

/* Curves on the page; jobs have one or two per rank. */
enum { MAX_CURVES = 32 };

/* "cuda:1, rank 3": the analysis has words for devices. */
static void put_device(struct ot_page *page, const struct ot_memory *memory)
{
    const struct ot_aggregate *peaks = ot_page_aggregate(page, "peak_allocated_bytes");
    for (size_t i = 0; peaks && i < peaks->n_parts; i++) {
        const struct ot_aggregate_part *part = &peaks->parts[i];
        if (part->session == memory->session && part->device_type == memory->device_type &&
            part->device_id == memory->device_id)
            ot_html_text(&page->html, part->label, OT_PAGE_NAME_SIZE);
    }
    if (page->report->analysis->n_sessions > 1) {
        ot_html_put(&page->html, ", rank ");
        ot_page_put_rank(page, memory->session);
    }
}

static void put_peak(struct ot_page *page, const struct ot_activity_line *line, uint32_t at)
{
    ot_html_put(&page->html, "peak ");
    ot_page_put_at_least(page);
    ot_html_bytes(&page->html, line->total);
    if (ot_activity_span_ns(&line->span) == 0)
        return; /* all was at one moment */
    ot_html_put(&page->html, " around ");
    ot_page_put_moment(page, &line->span, at);
}

static void put_caveats(struct ot_page *page, const struct ot_activity_line *line)
{
    if (line->is_summed)
        ot_html_put(&page->html, " <span class=share>summed up</span>");
    if (!page->report->pop->sessions[line->session].has_times)
        ot_html_put(&page->html, " <span class=share>no call ran: time runs from the first "
                                 "allocation or release to the last</span>");
}

static void put_curve(struct ot_page *page, const struct ot_activity_line *line, double *shares)
{
    struct ot_html *html = &page->html;
    const struct ot_activity_span *span = &line->span;
    uint32_t peak_at = 0;
    for (uint32_t bin = 0; bin < span->n_bins; bin++) {
        if (line->values[bin] > line->values[peak_at])
            peak_at = bin;
    }
    int64_t top = line->values[peak_at];
    for (uint32_t bin = 0; bin < span->n_bins; bin++)
        shares[bin] = top > 0 ? (double)line->values[bin] / (double)top : 0;
    ot_html_put(html, "<figure class=curve>\n<figcaption><strong>");
    put_device(page, &page->report->pop->memory[line->device]);
    ot_html_put(html, "</strong> ");
    put_peak(page, line, peak_at);
    put_caveats(page, line);
    ot_html_put(html, "</figcaption>\n<div class=plot>");
    ot_page_begin_strip(page, "memory", span);
    put_peak(page, line, peak_at);
    ot_page_end_strip(page, shares, span);
    ot_html_putf(html, "<span class=peak style=\"left:%.1f%%\"></span></div>\n",
                 100. * (peak_at + .5) / span->n_bins);
    ot_page_put_axis(page, span);
    ot_html_put(html, "</figure>\n");
}

/* A device's line and its place on the page. */
struct curve {
    const struct ot_activity_line *line;
    uint32_t rank; /* its session's place among the sessions */
};

static int highest_first(const void *a, const void *b)
{
    const struct curve *curve_a = a;
    const struct curve *curve_b = b;
    if (curve_a->line->total != curve_b->line->total)
        return curve_a->line->total > curve_b->line->total ? -1 : 1;
    return curve_a->line < curve_b->line ? -1 : 1; /* of one array */
}

static int by_rank(const void *a, const void *b)
{
    const struct curve *curve_a = a;
    const struct curve *curve_b = b;
    if (curve_a->rank != curve_b->rank)
        return curve_a->rank < curve_b->rank ? -1 : 1;
    return (curve_a->line > curve_b->line) - (curve_a->line < curve_b->line);
}

static size_t list_curves(const struct ot_page *page, struct curve *curves)
{
    const struct ot_activity *activity = page->report->activity;
    size_t n = 0;
    for (size_t i = 0; i < activity->n_lines; i++) {
        const struct ot_activity_line *line = &activity->lines[i];
        if (line->kind == OT_ACTIVITY_MEMORY && line->device < page->report->pop->n_memory)
            curves[n++] = (struct curve){line, page->places[line->session]};
    }
    return n;
}

static void put_summing(struct ot_page *page, const struct curve *curves, size_t n)
{
    size_t n_summed = 0;
    for (size_t i = 0; i < n; i++)
        n_summed += curves[i].line->is_summed;
    if (n_summed)
        ot_html_put(&page->html,
                    "<p class=shown>Summed up: from what was allocated and freed; what "
                    "was there before is not in it.</p>\n");
}

static void put_left_out(struct ot_page *page, const struct curve *curves, size_t n_drawn, size_t n)
{
    if (n == n_drawn)
        return;
    ot_html_putf(&page->html,
                 "<p class=shown>Drawn: %zu of %zu devices, those with the highest "
                 "peaks; the highest of the %zu others is ",
                 n_drawn, n, n - n_drawn);
    ot_page_put_at_least(page);
    ot_html_bytes(&page->html, curves[n_drawn].line->total);
    ot_html_put(&page->html, ".</p>\n");
}

static void put_curves(struct ot_page *page)
{
    const struct ot_activity *activity = page->report->activity;
    double *shares = calloc(activity->opts.n_bins, sizeof(*shares));
    struct curve *curves = calloc(activity->n_lines + 1, sizeof(*curves));
    page->html.failed |= !shares || !curves;
    if (!page->html.failed) {
        size_t n = list_curves(page, curves);
        size_t n_drawn = n < MAX_CURVES ? n : MAX_CURVES;
        qsort(curves, n, sizeof(*curves), highest_first);
        qsort(curves, n_drawn, sizeof(*curves), by_rank);
        ot_html_putf(&page->html, "<div class=\"curves%s\">\n", n_drawn > 2 ? " many" : "");
        for (size_t i = 0; i < n_drawn; i++)
            put_curve(page, curves[i].line, shares);
        ot_html_put(&page->html, "</div>\n");
        put_summing(page, curves, n_drawn);
        put_left_out(page, curves, n_drawn, n);
    }
    free(shares);
    free(curves);
}

void ot_page_memory(struct ot_page *page)
{
    ot_page_begin_section(page, "memory", "Memory");
    if (page->report->analysis->n_memory_events)
        put_curves(page);
    else
        ot_html_put(&page->html,
                    "<p class=absences>Not recorded. <code>optally record --memory</code> records "
                    "it, and so does <code>torch.profiler.profile(profile_memory=True)</code>.</p>"
                    "\n");
    ot_html_put(&page->html, "</section>\n");
}
