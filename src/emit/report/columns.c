#include "emit/report/columns.h"

#include <inttypes.h>

#include "base/units.h"

/* --- cells --------------------------------------------------------------------------------------
 *
 * Each writes a whole element. What is sorted by is in an attribute, exactly; without one, it is
 * the text.
 */

static bool is_device(const struct ot_operator_row *row)
{
    return ot_text_same(row->kind, ot_text_of("device"));
}

/* Code points of a name that takes more than two lines: report.css shows so much of it, and all
 * when it is opened. */
enum { LONG_NAME_SIZE = 72 };

static void put_name(struct ot_page *page, struct ot_text name)
{
    int64_t beyond = (int64_t)name.len - OT_PAGE_NAME_SIZE;
    bool is_whole = name.len <= OT_PAGE_WHOLE_NAME_BYTES && beyond <= page->name_bytes_left;
    if (beyond > 0 && is_whole)
        page->name_bytes_left -= beyond;
    page->n_cut_names += !is_whole;
    ot_html_text(&page->html, name, is_whole ? -1 : OT_PAGE_NAME_SIZE);
}

static void name_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    bool is_long = row->name.len > LONG_NAME_SIZE;
    ot_html_put(&page->html, "<th scope=row>");
    ot_html_put(&page->html, is_long ? "<details class=name><summary>" : "");
    put_name(page, row->name);
    ot_html_put(&page->html, is_long ? "</summary></details>" : "");
    ot_html_put(&page->html, row->name.len ? "</th>" : "<i>(no name)</i></th>");
}

static void kind_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    ot_html_put(&page->html, "<td>");
    for (size_t i = 0; i < OT_PAGE_KINDS; i++) {
        if (ot_text_same(row->kind, ot_text_of(ot_page_kinds[i].kind)))
            ot_html_put(&page->html, ot_page_kinds[i].words);
    }
    ot_html_put(&page->html, "</td>");
}

/* Without a number, what has no rank comes behind what has one. */
static void rank_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    const struct ot_analysis *analysis = page->report->analysis;
    const struct ot_session *session = &analysis->sessions[row->session];
    ot_html_put(&page->html, "<td class=n");
    if (session->has_rank)
        ot_html_putf(&page->html, " data-v=%" PRId64, session->rank);
    ot_html_put(&page->html, ">");
    ot_page_put_rank(page, row->session);
    ot_html_put(&page->html, "</td>");
}

static void calls_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    ot_html_putf(&page->html, "<td class=n data-v=%" PRIu64 ">", row->n_calls);
    ot_html_count(&page->html, row->n_calls);
    ot_html_put(&page->html, "</td>");
}

static void put_ns_cell(struct ot_page *page, int64_t ns)
{
    ot_html_putf(&page->html, "<td class=n data-v=%" PRId64 ">", ns < 0 ? 0 : ns);
    ot_html_ns(&page->html, ns);
    ot_html_put(&page->html, "</td>");
}

static void put_empty_cell(struct ot_page *page)
{
    ot_html_put(&page->html, "<td class=n></td>");
}

static void self_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    put_ns_cell(page, row->self_ns);
}

/* A device's work is no part of what the host was busy with. */
static void share_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    int64_t host_busy_ns = ot_page_value(page, "host_busy_time");
    if (is_device(row) || host_busy_ns <= 0 || row->self_ns < 0) {
        put_empty_cell(page);
        return;
    }
    char bar[OT_UNITS_BYTES];
    ot_units_fixed(bar, 100. * (double)row->self_ns / (double)host_busy_ns, 1);
    ot_html_putf(&page->html, "<td class=\"n share\" data-v=%" PRId64 " style=\"--s:%s%%\">",
                 row->self_ns, bar);
    ot_html_percent(&page->html, row->self_ns, host_busy_ns);
    ot_html_put(&page->html, "</td>");
}

static void inclusive_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    put_ns_cell(page, row->inclusive_ns);
}

static void mean_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    if (row->n_calls == 0 || row->inclusive_ns < 0) {
        put_empty_cell(page);
        return;
    }
    /* To a thousandth of a nanosecond; a sum that met its limit does not make it overflow. */
    uint64_t thousandths = (uint64_t)((unsigned __int128)row->inclusive_ns * 1000 / row->n_calls);
    ot_html_putf(&page->html, "<td class=n data-v=%" PRIu64 ">", thousandths);
    ot_html_mean_ns(&page->html, row->inclusive_ns, row->n_calls);
    ot_html_put(&page->html, "</td>");
}

static void min_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    put_ns_cell(page, row->min_ns);
}

static void max_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    put_ns_cell(page, row->max_ns);
}

static void put_device_cell(struct ot_page *page, const struct ot_operator_row *row, int64_t ns)
{
    if (row->has_device && ns)
        put_ns_cell(page, ns);
    else
        put_empty_cell(page);
}

static void device_self_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    put_device_cell(page, row, row->device_self_ns);
}

static void device_inclusive_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    put_device_cell(page, row, row->device_inclusive_ns);
}

static void allocated_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    if (!row->has_allocated || row->allocated_bytes <= 0) {
        put_empty_cell(page);
        return;
    }
    ot_html_putf(&page->html, "<td class=n data-v=%" PRId64 ">", row->allocated_bytes);
    ot_html_bytes(&page->html, row->allocated_bytes);
    ot_html_put(&page->html, "</td>");
}

static void put_shapes(struct ot_page *page, const struct ot_shapes_row *shapes)
{
    ot_html_text(&page->html, shapes->shapes, OT_PAGE_SHAPES_SIZE);
    ot_html_put(&page->html, " <i>×");
    ot_html_count(&page->html, shapes->n_calls);
    ot_html_put(&page->html, "</i>");
}

/* The most frequent ones, and how many others there are. */
static void shapes_cell(struct ot_page *page, const struct ot_operator_row *row)
{
    struct ot_html *html = &page->html;
    ot_html_putf(html, "<td class=shapes data-v=%" PRIu64 ">", row->n_shapes);
    if (row->n_shapes_returned == 1 && row->n_shapes == 1)
        put_shapes(page, &row->shapes[0]);
    if (row->n_shapes_returned && row->n_shapes > 1) {
        ot_html_put(html, "<details><summary>");
        put_shapes(page, &row->shapes[0]);
        ot_html_putf(html, " <b>+%" PRIu64 "</b></summary><ul>", row->n_shapes - 1);
        for (size_t i = 1; i < row->n_shapes_returned; i++) {
            ot_html_put(html, "<li>");
            put_shapes(page, &row->shapes[i]);
            ot_html_put(html, "</li>");
        }
        if (row->n_shapes > row->n_shapes_returned)
            ot_html_putf(html, "<li>and %" PRIu64 " more</li>",
                         row->n_shapes - row->n_shapes_returned);
        ot_html_put(html, "</ul></details>");
    }
    ot_html_put(html, "</td>");
}

/* --- columns ------------------------------------------------------------------------------------
 */

const struct ot_page_kind ot_page_kinds[OT_PAGE_KINDS] = {
    {"op", "operator"},
    {"runtime", "runtime"},
    {"device", "device"},
};

const struct ot_page_column ot_page_operator_columns[OT_PAGE_OPERATOR_COLUMNS] = {
    {"Name", "", name_cell, ot_page_name_total, NEEDS_NOTHING, true, false},
    {"Kind", "", kind_cell, NULL, NEEDS_NOTHING, true, false},
    {"Rank", "", rank_cell, NULL, NEEDS_RANKS, false, false},
    {"Calls", "", calls_cell, ot_page_calls_total, NEEDS_NOTHING, false, false},
    {"Self", "time in it, without what it calls", self_cell, ot_page_self_total, NEEDS_NOTHING,
     false, false},
    {"Self %", "share of host busy", share_cell, ot_page_share_total, NEEDS_NOTHING, false, false},
    {"Inclusive", "time in it, with what it calls", inclusive_cell, NULL, NEEDS_NOTHING, false,
     false},
    {"Mean", "inclusive, per call", mean_cell, NULL, NEEDS_NOTHING, false, false},
    {"Min", "inclusive, of one call", min_cell, NULL, NEEDS_NOTHING, false, false},
    {"Max", "inclusive, of one call", max_cell, NULL, NEEDS_NOTHING, false, false},
    {"Device self", "device time of what it launches itself", device_self_cell,
     ot_page_device_total, NEEDS_DEVICE, false, false},
    {"Device incl.", "device time of what is launched inside it", device_inclusive_cell, NULL,
     NEEDS_DEVICE, false, false},
    {"Allocated", "bytes, by itself", allocated_cell, ot_page_allocated_total, NEEDS_MEMORY, false,
     false},
    {"Input shapes", "the most frequent; sorted by how many there are", shapes_cell, NULL,
     NEEDS_SHAPES, false, true},
};

const struct ot_page_column ot_page_repeated_columns[OT_PAGE_REPEATED_COLUMNS] = {
    {"Name", "", name_cell, NULL, NEEDS_NOTHING, true, false},
    {"Kind", "", kind_cell, NULL, NEEDS_NOTHING, true, false},
    {"Rank", "", rank_cell, NULL, NEEDS_RANKS, false, false},
    {"Calls", "", calls_cell, NULL, NEEDS_NOTHING, false, false},
    {"Mean", "inclusive, per call", mean_cell, NULL, NEEDS_NOTHING, false, false},
    {"Inclusive", "time in it, with what it calls", inclusive_cell, NULL, NEEDS_NOTHING, false,
     false},
};

bool ot_page_has(const struct ot_page *page, enum ot_page_need need)
{
    switch (need) {
    case NEEDS_RANKS:
        return page->report->analysis->n_sessions > 1;
    case NEEDS_DEVICE:
        return page->report->analysis->has_device;
    case NEEDS_MEMORY:
        return page->report->analysis->n_memory_events > 0;
    case NEEDS_SHAPES:
        return ot_page_covers(page, "input_shapes");
    case NEEDS_NOTHING:
        break;
    }
    return true;
}
