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

static void put_peak(struct ot_page *page, const struct ot_activity_line *line,
                     const struct ot_activity_span *span, uint32_t at)
{
    ot_html_put(&page->html, "peak ");
    ot_page_put_at_least(page);
    ot_html_bytes(&page->html, line->total);
    ot_html_put(&page->html, " around ");
    ot_page_put_moment(page, span, at);
}

static void put_curve(struct ot_page *page, const struct ot_activity_line *line, double *shares)
{
    struct ot_html *html = &page->html;
    struct ot_activity_span span;
    if (!ot_page_span_of(page, line->session, &span) || line->device >= page->report->pop->n_memory)
        return;
    uint32_t peak_at = 0;
    for (uint32_t bin = 0; bin < span.n_bins; bin++) {
        if (line->values[bin] > line->values[peak_at])
            peak_at = bin;
    }
    int64_t top = line->values[peak_at];
    for (uint32_t bin = 0; bin < span.n_bins; bin++)
        shares[bin] = top > 0 ? (double)line->values[bin] / (double)top : 0;
    ot_html_put(html, "<figure class=curve>\n<figcaption><strong>");
    put_device(page, &page->report->pop->memory[line->device]);
    ot_html_put(html, "</strong> ");
    put_peak(page, line, &span, peak_at);
    if (line->is_summed)
        ot_html_put(html, " <span class=share>summed up from what was allocated and freed; what "
                          "was there before is not in it</span>");
    ot_html_put(html, "</figcaption>\n<div class=plot>");
    ot_page_begin_strip(page, "memory");
    put_peak(page, line, &span, peak_at);
    ot_page_end_strip(page, shares, span.n_bins);
    ot_html_putf(html, "<span class=peak style=\"left:%.1f%%\"></span></div>\n",
                 100. * (peak_at + .5) / span.n_bins);
    ot_page_put_axis(page, &span);
    ot_html_put(html, "</figure>\n");
}

static void put_curves(struct ot_page *page)
{
    const struct ot_activity *activity = page->report->activity;
    double *shares = calloc(activity->opts.n_bins, sizeof(*shares));
    size_t n = 0;
    page->html.failed |= !shares;
    for (size_t i = 0; i < activity->n_lines && shares; i++) {
        if (activity->lines[i].kind == OT_ACTIVITY_MEMORY && n++ < MAX_CURVES)
            put_curve(page, &activity->lines[i], shares);
    }
    if (n > MAX_CURVES)
        ot_html_putf(&page->html, "<p class=shown>%d of %zu devices drawn.</p>\n", MAX_CURVES, n);
    free(shares);
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
