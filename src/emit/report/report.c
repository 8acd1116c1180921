#include "emit/report/report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emit/flame/flame.h"
#include "emit/report/page.h"

/* Of the build. */
extern const char ot_asset_report_css[];
extern const char ot_asset_report_js[];

static const struct {
    const char *id;
    const char *title;
} links[] = {
    {"numbers", "Numbers"},   {"activity", "Activity"},   {"memory", "Memory"},
    {"flame", "Flame graph"}, {"operators", "Operators"}, {"repeated", "Repeated"},
    {"about", "About"},
};

static void put_title(struct ot_page *page)
{
    const struct ot_report *report = page->report;
    const struct ot_analysis *analysis = report->analysis;
    if (report->title)
        ot_html_text(&page->html, ot_text_of(report->title), OT_PAGE_NAME_SIZE);
    else if (analysis->n_sessions)
        ot_html_text(&page->html, ot_text_base_name(analysis->sessions[0].path), OT_PAGE_NAME_SIZE);
    if (!report->title && analysis->n_sessions > 1)
        ot_html_putf(&page->html, " and %zu more", analysis->n_sessions - 1);
}

static void put_head(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    ot_html_put(html, "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=color-scheme content=\"light dark\">\n"
                      "<meta name=generator content=\"optally " OPTALLY_VERSION "\">\n<title>");
    put_title(page);
    ot_html_put(html, " – optally</title>\n<style>\n");
    ot_html_put(html, ot_asset_report_css);
    ot_html_put(html, ot_asset_flame_css);
    ot_html_put(html,
                "</style>\n<script>document.documentElement.className = "
                "\"js\";</script>\n</head>\n<body>\n<a class=skip href=\"#operators\">Skip to the "
                "operators</a>\n");
}

static void put_summary(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    const struct ot_report *report = page->report;
    const struct ot_analysis *analysis = report->analysis;
    size_t n = analysis->n_sessions > 1 ? analysis->n_sessions : report->n_inputs;
    ot_html_put(html, "<p class=summary>");
    if (n > 1)
        ot_html_putf(html, "%zu %s, the parts of one job", n, ot_page_format(report, false));
    else
        ot_html_put(html, ot_page_format(report, true));
    if (n == 1 && analysis->n_sessions && analysis->sessions[0].has_rank) {
        ot_html_putf(html, ", rank %" PRId64, analysis->sessions[0].rank);
        if (analysis->sessions[0].has_world_size)
            ot_html_putf(html, " of %" PRId64, analysis->sessions[0].world_size);
    }
    ot_html_put(html, ": ");
    ot_page_put_count(page, analysis->n_operators, "operator", "operators");
    ot_html_put(html, " in ");
    ot_page_put_count(page, analysis->n_events, "call", "calls");
    ot_html_put(html, "</p>\n");
}

static void put_header(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    ot_html_put(html, "<header>\n<div class=bar>\n<h1>");
    put_title(page);
    ot_html_put(html, "</h1>\n<button type=button id=theme class=controls>Dark</button>\n</div>\n");
    put_summary(page);
    ot_html_put(html, "<nav aria-label=Sections><ul>");
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        ot_html_putf(html, "<li><a href=\"#%s\">%s</a></li>", links[i].id, links[i].title);
    ot_html_put(html, "</ul></nav>\n</header>\n");
}

static int put_page(struct ot_page *page, struct ot_err *err)
{
    struct ot_html *html = &page->html;
    put_head(page);
    put_header(page);
    ot_html_put(html, "<main>\n");
    ot_page_notes(page);
    ot_page_numbers(page);
    ot_page_activity(page);
    ot_page_memory(page);
    int code = ot_page_flame(page, err);
    ot_page_operators(page);
    ot_page_repeated(page);
    ot_page_about(page);
    ot_html_put(html, "</main>\n<script>\n");
    ot_html_put(html, ot_asset_flame_js);
    ot_html_put(html, ot_asset_report_js);
    ot_html_put(html, "</script>\n</body>\n</html>\n");
    return code;
}

int ot_report_write(const struct ot_report *report, FILE *out, struct ot_err *err)
{
    struct ot_page page = {
        .html = {.out = out}, .report = report, .name_bytes_left = OT_PAGE_NAMES_BYTES};
    int code = OT_OK;
    page.html.failed = !ot_page_order_sessions(&page);
    if (!page.html.failed)
        code = put_page(&page, err);
    free(page.sessions);
    free(page.places);
    free(page.has_twin);
    if (code == OT_OK && page.html.failed)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for the report");
    return code;
}
