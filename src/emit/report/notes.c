/* notes.c: before any number, what it is worth: whether all was seen, and what was odd. */
#include <inttypes.h>

#include "emit/report/page.h"
#include "stats/completeness.h"

static void put_reasons(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    ot_html_put(html, "<div class=\"note least\" role=\"note\">\n<p><strong>Lower bounds.</strong> "
                      "Counts and sums here are at least what they say, because:</p>\n<ul>\n");
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS; i++) {
        struct ot_str reason = {0};
        if (ot_completeness_reason(&page->report->analysis->counts, i, &reason)) {
            ot_html_put(html, "<li>");
            ot_html_text(html, (struct ot_text){ot_str_borrow(&reason), reason.len}, -1);
            ot_html_put(html, "</li>\n");
        }
        html->failed |= reason.failed;
        ot_str_release(&reason);
    }
    ot_html_put(html, "</ul>\n</div>\n");
}

static uint64_t count_warnings(const struct ot_warnings *warnings)
{
    uint64_t n = 0;
    for (int i = 0; i < OT_WARNING_COUNT; i++)
        n += warnings->of[i].n > 0;
    return n;
}

static void put_warnings(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    const struct ot_warnings *warnings = &page->report->analysis->warnings;
    ot_html_put(html, "<div class=\"note odd\" role=\"note\">\n<p><strong>Warnings.</strong> What "
                      "was odd about the input:</p>\n<ul>\n");
    for (int i = 0; i < OT_WARNING_COUNT; i++) {
        const struct ot_warning_count *count = &warnings->of[i];
        const struct ot_warning_class *class = &ot_warning_classes[i];
        if (count->n == 0)
            continue;
        ot_html_put(html, "<li>");
        ot_page_put_count(page, count->n, class->one, class->many);
        if (count->first[0] != '\0') {
            ot_html_put(html, "; the first: ");
            ot_html_text(html, ot_text_of(count->first), OT_PAGE_TEXT_SIZE);
        }
        ot_html_putf(html, " <code>%s</code></li>\n", class->code);
    }
    ot_html_put(html, "</ul>\n</div>\n");
}

void ot_page_notes(struct ot_page *page)
{
    const struct ot_analysis *analysis = page->report->analysis;
    bool is_exact = ot_completeness_exact(&analysis->counts);
    bool is_odd = count_warnings(&analysis->warnings) > 0;
    if (!is_exact)
        put_reasons(page);
    if (is_odd)
        put_warnings(page);
    if (is_exact && !is_odd)
        ot_html_put(&page->html, "<p class=\"note exact\"><strong>Exact.</strong> Nothing was "
                                 "lost: the numbers count all that was recorded.</p>\n");
}
