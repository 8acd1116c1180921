/* about.c: what was read, on what it was recorded, and how it was counted. */
#include <inttypes.h>
#include <stdlib.h>

#include "emit/report/page.h"
#include "stats/completeness.h"

enum { MAX_SESSIONS_LISTED = 64, MAX_HOSTS = 8 };

/* By their names among the analysis's coverage. */
static const struct {
    const char *coverage;
    const char *words;
} recorded[] = {
    {"self_cpu_time", "host work"},           {"device_time", "device work"},
    {"memory_allocations", "memory"},         {"input_shapes", "input shapes"},
    {"phase_annotations", "phases"},          {"python_stacks", "Python stacks"},
    {"overload_names", "names of overloads"},
};

static void begin_fact(struct ot_page *page, const char *label)
{
    ot_html_putf(&page->html, "<div><dt>%s</dt><dd>", label);
}

static void end_fact(struct ot_page *page)
{
    ot_html_put(&page->html, "</dd></div>\n");
}

static void put_text_fact(struct ot_page *page, const char *label, struct ot_text text)
{
    if (text.len == 0)
        return;
    begin_fact(page, label);
    ot_html_text(&page->html, text, OT_PAGE_TEXT_SIZE);
    end_fact(page);
}

/* Cuts the first line off. */
static struct ot_text take_line(struct ot_text *lines)
{
    const char *end = lines->len ? memchr(lines->bytes, '\n', lines->len) : NULL;
    struct ot_text line = {lines->bytes, end ? (size_t)(end - lines->bytes) : lines->len};
    size_t taken = line.len + (end != NULL);
    *lines = (struct ot_text){lines->bytes + taken, lines->len - taken};
    return line;
}

/* "8 × NVIDIA A100": those of one kind stand next to each other. */
static void put_devices(struct ot_page *page, struct ot_text lines)
{
    struct ot_html *html = &page->html;
    if (lines.len == 0)
        return;
    begin_fact(page, "Devices");
    for (bool is_first = true; lines.len; is_first = false) {
        size_t n = 1;
        struct ot_text name = take_line(&lines);
        struct ot_text rest = lines;
        while (lines.len && ot_text_same(take_line(&rest), name)) {
            lines = rest;
            n++;
        }
        ot_html_putf(html, "%s%zu × ", is_first ? "" : ", ", n);
        ot_html_text(html, name, OT_PAGE_NAME_SIZE);
    }
    end_fact(page);
}

/* A session that does not say where it ran has threads that do. `is_seen` is of each name, and
 * false. */
static void put_hosts_of(struct ot_page *page, size_t session, bool *is_seen)
{
    const struct ot_population *pop = page->report->pop;
    size_t n = 0;
    for (size_t i = 0; i < pop->n_tracks; i++) {
        const struct ot_track *track = &pop->tracks[i];
        struct ot_text host = ot_names_text(&pop->names, track->host);
        if (track->session != session || host.len == 0 || is_seen[track->host])
            continue;
        is_seen[track->host] = true;
        if (n++ >= MAX_HOSTS)
            continue;
        if (n == 1)
            begin_fact(page, "Host");
        ot_html_put(&page->html, n > 1 ? ", " : "");
        ot_html_text(&page->html, host, OT_PAGE_NAME_SIZE);
    }
    if (n > MAX_HOSTS)
        ot_html_putf(&page->html, " and %zu more", n - MAX_HOSTS);
    if (n)
        end_fact(page);
}

static void put_hosts(struct ot_page *page, size_t session)
{
    bool *is_seen = calloc(page->report->pop->names.n_texts + 1, sizeof(*is_seen));
    page->html.failed |= !is_seen;
    if (is_seen)
        put_hosts_of(page, session, is_seen);
    free(is_seen);
}

static void put_session(struct ot_page *page, size_t number)
{
    struct ot_html *html = &page->html;
    const struct ot_report *report = page->report;
    const struct ot_session *session = &report->analysis->sessions[number];
    ot_html_put(html, "<dl class=facts>\n");
    begin_fact(page, "Input");
    if (report->analysis->n_sessions > 1)
        ot_html_putf(html, "#%zu, ", number);
    ot_html_putf(html, "%s ", ot_page_format(report, true));
    ot_html_text(html, session->path, OT_PAGE_TEXT_SIZE);
    end_fact(page);
    begin_fact(page, "Bytes read");
    ot_html_put(html, "<code>");
    ot_html_text(html, ot_text_of(report->artifacts[number]), OT_PAGE_TEXT_SIZE);
    ot_html_put(html, "</code>");
    end_fact(page);
    if (session->has_rank) {
        begin_fact(page, "Rank");
        ot_html_putf(html, "%" PRId64, session->rank);
        if (session->has_world_size)
            ot_html_putf(html, " of %" PRId64, session->world_size);
        end_fact(page);
    }
    put_hosts(page, number);
    put_text_fact(page, "PyTorch", session->torch);
    put_devices(page, session->devices);
    ot_html_put(html, "</dl>\n");
}

static void put_recorded(struct ot_page *page, bool is_there, const char *label)
{
    bool is_first = true;
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        if (ot_page_covers(page, recorded[i].coverage) != is_there)
            continue;
        if (is_first)
            begin_fact(page, label);
        ot_html_putf(&page->html, "%s%s", is_first ? "" : ", ", recorded[i].words);
        is_first = false;
    }
    if (!is_first)
        end_fact(page);
}

static void put_counting(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    const struct ot_analysis *analysis = page->report->analysis;
    ot_html_put(html, "<dl class=facts>\n");
    put_recorded(page, true, "Recorded");
    put_recorded(page, false, "Not recorded");
    begin_fact(page, "Counted");
    ot_page_put_count(page, analysis->n_events, "call", "calls");
    ot_html_put(html, " of ");
    ot_page_put_count(page, analysis->n_operators, "operator", "operators");
    ot_html_put(html, " out of ");
    ot_page_put_count(page, analysis->counts.events_read, "event", "events");
    ot_html_put(html, " read");
    if (analysis->n_memory_events) {
        ot_html_put(html, ", and ");
        ot_page_put_count(page, analysis->n_memory_events, "memory event", "memory events");
    }
    end_fact(page);
    begin_fact(page, "How");
    ot_html_putf(html,
                 "profile <code>" OT_ANALYSIS_PROFILE
                 "</code> over everything that ran: a limit bounds the rows that are shown, never "
                 "what was counted. Every number is %s.",
                 ot_completeness_exact(&analysis->counts) ? "exact" : "a lower bound");
    end_fact(page);
    begin_fact(page, "Written by");
    ot_html_put(html, "optally " OPTALLY_VERSION ", from the input alone: the same input gives the "
                      "same bytes");
    end_fact(page);
    ot_html_put(html, "</dl>\n");
}

void ot_page_about(struct ot_page *page)
{
    const struct ot_analysis *analysis = page->report->analysis;
    ot_page_begin_section(page, "about", "About");
    put_counting(page);
    for (size_t i = 0; i < analysis->n_sessions && i < MAX_SESSIONS_LISTED; i++)
        put_session(page, page->sessions[i]);
    if (analysis->n_sessions > MAX_SESSIONS_LISTED)
        ot_html_putf(&page->html, "<p class=shown>and %zu more inputs</p>\n",
                     analysis->n_sessions - MAX_SESSIONS_LISTED);
    ot_html_put(&page->html, "</section>\n");
}
