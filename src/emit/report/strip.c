#include "emit/report/strip.h"

enum { N_TICKS = 4 };

void ot_page_begin_strip(struct ot_page *page, const char *class,
                         const struct ot_activity_span *span)
{
    ot_html_putf(&page->html, "<svg class=\"strip %s\" viewBox=\"0 0 %u %d\" ", class, span->n_bins,
                 OT_STRIP_HEIGHT);
    ot_html_put(&page->html, "preserveAspectRatio=none role=img aria-label=\"");
}

static int height_of(double share)
{
    if (!(share > 0))
        return 0;
    int height = (int)(share * OT_STRIP_HEIGHT + .5);
    if (height > OT_STRIP_HEIGHT)
        return OT_STRIP_HEIGHT;
    return height ? height : 1;
}

void ot_page_end_strip(struct ot_page *page, const double *shares,
                       const struct ot_activity_span *span)
{
    ot_html_putf(&page->html, "\"><path d=\"M0 %d", OT_STRIP_HEIGHT);
    int last = 0;
    for (uint32_t bin = 0; bin < span->n_bins; bin++) {
        int height = height_of(shares[bin]);
        if (height != last && bin)
            ot_html_putf(&page->html, "H%u", bin);
        if (height != last)
            ot_html_putf(&page->html, "V%d", OT_STRIP_HEIGHT - height);
        last = height;
    }
    ot_html_putf(&page->html, "H%uV%dZ\"/></svg>\n", span->n_bins, OT_STRIP_HEIGHT);
}

void ot_page_put_moment(struct ot_page *page, const struct ot_activity_span *span, uint32_t bin)
{
    int64_t offset_ns = 0;
    if (!__builtin_sub_overflow(ot_activity_bin_start(span, bin), span->start_ns, &offset_ns))
        ot_html_ns(&page->html, offset_ns);
}

void ot_page_put_axis(struct ot_page *page, const struct ot_activity_span *span)
{
    ot_html_put(&page->html, "<div class=axis aria-hidden=true>");
    for (uint32_t i = 0; i <= N_TICKS; i++) {
        ot_html_put(&page->html, "<span>");
        ot_page_put_moment(page, span, i * span->n_bins / N_TICKS);
        ot_html_put(&page->html, "</span>");
    }
    ot_html_put(&page->html, "</div>\n");
}
