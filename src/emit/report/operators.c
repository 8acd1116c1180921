/* operators.c: the table of operators, and that of the repeated small ones. */
#include <inttypes.h>

#include "emit/report/columns.h"

/* report.css hides the others on paper. */
enum { PRINTED_ROWS = 60 };

struct table {
    const char *id;
    const char *label;
    const struct ot_page_column *columns;
    size_t n_columns;
    const struct ot_analysis_table *rows;
    size_t sorted_by;
    bool has_totals;
};

static void put_head(struct ot_page *page, const struct table *table)
{
    struct ot_html *html = &page->html;
    ot_html_put(html, "<thead>\n<tr>");
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct ot_page_column *column = &table->columns[i];
        if (!ot_page_has(page, column->need))
            continue;
        ot_html_putf(html, "<th scope=col%s%s",
                     column->is_text   ? " data-text"
                     : column->is_left ? ""
                                       : " class=n",
                     i == table->sorted_by ? " aria-sort=descending" : "");
        if (column->help[0] != '\0')
            ot_html_putf(html, " title=\"%s\"", column->help);
        ot_html_putf(html, "><button type=button>%s</button></th>", column->title);
    }
    ot_html_put(html, "</tr>\n</thead>\n");
}

static void put_totals(struct ot_page *page, const struct table *table, bool is_device)
{
    ot_html_put(&page->html, "<tr>");
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct ot_page_column *column = &table->columns[i];
        if (ot_page_has(page, column->need) && column->put_total)
            column->put_total(page, is_device);
        else if (ot_page_has(page, column->need))
            ot_html_put(&page->html, "<td></td>");
    }
    ot_html_put(&page->html, "</tr>\n");
}

static void put_foot(struct ot_page *page, const struct table *table)
{
    ot_html_put(&page->html, "<tfoot>\n");
    put_totals(page, table, false);
    if (ot_page_has(page, NEEDS_DEVICE))
        put_totals(page, table, true);
    ot_html_put(&page->html, "</tfoot>\n");
}

static void put_table(struct ot_page *page, const struct table *table)
{
    struct ot_html *html = &page->html;
    ot_html_putf(html,
                 "<div class=scroll tabindex=0 role=region aria-label=\"%s\">\n"
                 "<table id=\"%s-table\" class=sortable>\n",
                 table->label, table->id);
    put_head(page, table);
    ot_html_put(html, "<tbody>\n");
    for (size_t row = 0; row < table->rows->n_rows; row++) {
        ot_html_put(html, "<tr>");
        for (size_t i = 0; i < table->n_columns; i++) {
            if (ot_page_has(page, table->columns[i].need))
                table->columns[i].put(page, &table->rows->rows[row]);
        }
        ot_html_put(html, "\n");
    }
    ot_html_put(html, "</tbody>\n");
    if (table->has_totals)
        put_foot(page, table);
    ot_html_put(html, "</table>\n</div>\n");
}

static void put_filters(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    ot_html_put(html, "<form class=controls id=filter>\n"
                      "<label>Name contains <input type=search id=filter-text autocomplete=off "
                      "spellcheck=false></label>\n"
                      "<label>Kind <select id=filter-kind><option value=\"\">all</option>");
    for (size_t i = 0; i < OT_PAGE_KINDS; i++)
        ot_html_putf(html, "<option>%s</option>", ot_page_kinds[i].words);
    ot_html_put(html, "</select></label>\n</form>\n");
}

/* "Showing 3 of 17 operators, ...": the script says it anew when something is filtered. */
static void put_shown(struct ot_page *page, const char *id, const struct ot_analysis_table *rows,
                      const char *which)
{
    struct ot_html *html = &page->html;
    ot_html_putf(html,
                 "<p class=shown id=%s-shown role=status data-total=%" PRIu64 " data-shown=%zu>",
                 id, rows->n_total, rows->n_rows);
    if (rows->n_rows == rows->n_total) {
        ot_html_put(html, "All ");
        ot_page_put_count(page, rows->n_total, "row", "rows");
        ot_html_put(html, " shown.");
    } else {
        ot_html_put(html, "Showing ");
        ot_html_count(html, rows->n_rows);
        ot_html_put(html, " of ");
        ot_page_put_count(page, rows->n_total, "row", "rows");
        ot_html_putf(html, ", %s. What is not shown is counted all the same.", which);
    }
    ot_html_put(html, "</p>\n");
}

static void put_not_recorded(struct ot_page *page)
{
    static const struct {
        enum ot_page_need need;
        const char *words;
    } absences[] = {
        {NEEDS_DEVICE, "device time"},
        {NEEDS_MEMORY, "allocations"},
        {NEEDS_SHAPES, "input shapes"},
    };
    bool is_first = true;
    for (size_t i = 0; i < sizeof(absences) / sizeof(absences[0]); i++) {
        if (ot_page_has(page, absences[i].need))
            continue;
        ot_html_putf(&page->html, "%s%s", is_first ? "<p class=absences>Not recorded: " : ", ",
                     absences[i].words);
        is_first = false;
    }
    ot_html_put(&page->html, is_first ? "" : ".</p>\n");
}

void ot_page_operators(struct ot_page *page)
{
    const struct ot_analysis_table *rows = &page->report->analysis->operators;
    ot_page_begin_section(page, "operators", "Operators");
    if (rows->n_total == 0) {
        ot_html_put(&page->html, "<p>No operator ran.</p>\n</section>\n");
        return;
    }
    put_filters(page);
    put_shown(page, "operators", rows, "those with the longest inclusive time");
    const struct table table = {
        .id = "operators",
        .label = "Operators",
        .columns = ot_page_operator_columns,
        .n_columns = OT_PAGE_OPERATOR_COLUMNS,
        .rows = rows,
        .sorted_by = OT_PAGE_BY_INCLUSIVE,
        .has_totals = true,
    };
    put_table(page, &table);
    if (rows->n_rows > PRINTED_ROWS)
        ot_html_putf(&page->html, "<p class=\"shown printed\">Printed: the first %d rows.</p>\n",
                     PRINTED_ROWS);
    if (page->n_cut_names) {
        ot_html_put(&page->html, "<p class=shown>");
        ot_page_put_count(page, page->n_cut_names, "name is", "names are");
        ot_html_put(&page->html,
                    " too long for a page and cut in the middle, [...]: the filter looks "
                    "for what is left.</p>\n");
    }
    put_not_recorded(page);
    ot_html_put(&page->html, "</section>\n");
}

static void put_threshold(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    const struct ot_analysis *analysis = page->report->analysis;
    ot_html_put(html, "<p>What is called 3 times or more and takes ");
    /* Thousandths are below what a large one is shown with. */
    if (analysis->threshold_ns < INT32_MAX)
        ot_html_mean_ns(html, analysis->threshold_ns * 1000 + analysis->threshold_thousandths,
                        1000);
    else
        ot_html_ns(html, analysis->threshold_ns);
    ot_html_putf(html,
                 " or less on average%s: candidates for fusing, batching or capturing into a "
                 "graph. Chosen from all operators, whatever the table above shows.</p>\n",
                 analysis->threshold_is_absolute ? "" : " (the 25th percentile)");
}

void ot_page_repeated(struct ot_page *page)
{
    const struct ot_analysis *analysis = page->report->analysis;
    const struct ot_analysis_table *rows = &analysis->repeated;
    ot_page_begin_section(page, "repeated", "Repeated small operations");
    if (analysis->has_threshold)
        put_threshold(page);
    put_shown(page, "repeated", rows, "the most frequent");
    const struct table table = {
        .id = "repeated",
        .label = "Repeated small operations",
        .columns = ot_page_repeated_columns,
        .n_columns = OT_PAGE_REPEATED_COLUMNS,
        .rows = rows,
        .sorted_by = OT_PAGE_BY_CALLS,
    };
    if (rows->n_rows)
        put_table(page, &table);
    ot_html_put(&page->html, "</section>\n");
}
