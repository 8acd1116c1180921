/* activity.c: how busy each thread and device was over time, those of a session below each other.
 *
 * However many sessions there are, so many lines are on the page: those of few have some each,
 * those of more a sum of their threads and one of their devices, of the busiest if need be.
 */
#include <stdlib.h>

#include "base/sum.h"
#include "emit/report/lines.h"

/* On the page; of one session, or only sums; and how many are seen at once. */
enum { MAX_STRIPS = 64, MIN_STRIPS = 4, OPEN_STRIPS = 12 };

struct drawing {
    struct ot_page *page;
    struct ot_page_lines lines;
    double *shares;
    size_t n_left; /* lines that may be drawn of this session */
};

static const struct ot_activity_sum *sum_of(const struct ot_page *page, uint32_t session,
                                            enum ot_activity_kind kind)
{
    return ot_activity_sum_of(page->report->activity, session, kind);
}

static uint64_t count_of(const struct ot_activity_sum *sum)
{
    return sum ? sum->n : 0;
}

static int64_t total_of(const struct ot_activity_sum *devices,
                        const struct ot_activity_sum *threads)
{
    int64_t total_ns = devices ? devices->total : 0;
    ot_sum_add(&total_ns, threads ? threads->total : 0);
    return total_ns;
}

static void put_busy(struct ot_page *page, int64_t busy_ns)
{
    ot_html_put(&page->html, "busy ");
    ot_page_put_at_least(page);
    ot_html_ns(&page->html, busy_ns);
    ot_html_put(&page->html, " together");
}

/* --- the lines of one session -------------------------------------------------------------------
 */

static int64_t busy_of(const struct ot_page_lines *lines, size_t from, size_t end)
{
    int64_t busy_ns = 0;
    for (size_t i = from; i < end; i++)
        ot_sum_add(&busy_ns, lines->items[i]->total);
    return busy_ns;
}

static void put_lines(const struct drawing *drawing, size_t from, size_t end)
{
    const struct ot_page_lines *lines = &drawing->lines;
    for (size_t i = from; i < end; i++)
        ot_page_put_line(drawing->page, lines, lines->items[i], drawing->shares);
    ot_page_put_times(drawing->page, &lines->items[0]->span);
}

/* Those that do less, at the reader's wish. */
static void put_closed_lines(const struct drawing *drawing, size_t from, size_t end)
{
    if (from == end)
        return;
    ot_html_putf(&drawing->page->html, "<details><summary>%zu more, ", end - from);
    put_busy(drawing->page, busy_of(&drawing->lines, from, end));
    ot_html_put(&drawing->page->html, "</summary>\n");
    put_lines(drawing, from, end);
    ot_html_put(&drawing->page->html, "</details>\n");
}

static void put_drawn_of(struct ot_page *page, uint64_t n, const struct ot_activity_sum *sum,
                         const char *one, const char *many)
{
    ot_html_count(&page->html, n);
    ot_html_put(&page->html, " of ");
    ot_page_put_count(page, count_of(sum), one, many);
}

static void put_left_out(const struct drawing *drawing, size_t n_shown)
{
    struct ot_page *page = drawing->page;
    const struct ot_page_lines *lines = &drawing->lines;
    uint64_t n_devices = 0;
    if (n_shown == count_of(lines->devices) + count_of(lines->threads))
        return;
    for (size_t i = 0; i < n_shown; i++)
        n_devices += lines->items[i]->kind == OT_ACTIVITY_DEVICE;
    ot_html_put(&page->html, "<p class=shown>Drawn: ");
    if (lines->devices)
        put_drawn_of(page, n_devices, lines->devices, "device", "devices");
    ot_html_put(&page->html, lines->devices && lines->threads ? " and " : "");
    if (lines->threads)
        put_drawn_of(page, n_shown - n_devices, lines->threads, "thread", "threads");
    ot_html_put(&page->html, ", the busiest; the others were ");
    put_busy(page, total_of(lines->devices, lines->threads) - busy_of(lines, 0, n_shown));
    ot_html_put(&page->html, ".</p>\n");
}

/* One of a kind is its own sum. */
static void put_sum(struct drawing *drawing, const struct ot_activity_sum *sum,
                    enum ot_activity_kind kind)
{
    if (count_of(sum) < 2)
        return;
    ot_page_put_sum(drawing->page, sum, kind, -1, drawing->shares);
    drawing->n_left--;
}

static void put_session(struct drawing *drawing, uint32_t session)
{
    struct ot_page *page = drawing->page;
    const struct ot_page_lines *lines = &drawing->lines;
    ot_page_collect_lines(page, session, &drawing->lines);
    if (page->report->analysis->n_sessions > 1) {
        ot_html_put(&page->html, "<h3>Rank ");
        ot_page_put_rank(page, session);
        ot_html_put(&page->html, ", in its own time</h3>\n");
    }
    if (lines->n == 0) {
        ot_html_put(&page->html, "<p class=absences>No call ran.</p>\n");
        return;
    }
    if (ot_activity_span_ns(&lines->items[0]->span) == 0) {
        ot_html_put(&page->html, "<p class=absences>No time passed from the first call to the end "
                                 "of the last one: there is nothing to draw.</p>\n");
        return;
    }
    ot_html_put(&page->html, "<div class=tracks>\n");
    put_sum(drawing, lines->devices, OT_ACTIVITY_DEVICE);
    put_sum(drawing, lines->threads, OT_ACTIVITY_THREAD);
    size_t n_shown = lines->n < drawing->n_left ? lines->n : drawing->n_left;
    size_t n_open = n_shown < OPEN_STRIPS ? n_shown : OPEN_STRIPS;
    put_lines(drawing, 0, n_open);
    put_closed_lines(drawing, n_open, n_shown);
    ot_html_put(&page->html, "</div>\n");
    put_left_out(drawing, n_shown);
}

/* --- the sums of many ---------------------------------------------------------------------------
 */

struct busy_rank {
    size_t place; /* in the page's order */
    int64_t busy_ns;
};

static int busiest_first(const void *a, const void *b)
{
    const struct busy_rank *rank_a = a;
    const struct busy_rank *rank_b = b;
    if (rank_a->busy_ns != rank_b->busy_ns)
        return rank_a->busy_ns > rank_b->busy_ns ? -1 : 1;
    return rank_a->place < rank_b->place ? -1 : 1;
}

static int in_place(const void *a, const void *b)
{
    const struct busy_rank *rank_a = a;
    const struct busy_rank *rank_b = b;
    return (rank_a->place > rank_b->place) - (rank_a->place < rank_b->place);
}

/* Those that ran something; `ret_n_rows` is how many sums all of them have. */
static size_t list_ranks(const struct ot_page *page, struct busy_rank *ranks, size_t *ret_n_rows)
{
    size_t n = 0;
    *ret_n_rows = 0;
    for (size_t i = 0; i < page->report->analysis->n_sessions; i++) {
        const struct ot_activity_sum *devices = sum_of(page, page->sessions[i], OT_ACTIVITY_DEVICE);
        const struct ot_activity_sum *threads = sum_of(page, page->sessions[i], OT_ACTIVITY_THREAD);
        if (!devices && !threads)
            continue;
        ranks[n++] = (struct busy_rank){.place = i, .busy_ns = total_of(devices, threads)};
        *ret_n_rows += (devices != NULL) + (threads != NULL);
    }
    return n;
}

static void put_rank(struct drawing *drawing, uint32_t session)
{
    static const enum ot_activity_kind kinds[] = {OT_ACTIVITY_DEVICE, OT_ACTIVITY_THREAD};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct ot_activity_sum *sum = sum_of(drawing->page, session, kinds[i]);
        if (sum)
            ot_page_put_sum(drawing->page, sum, kinds[i], session, drawing->shares);
    }
}

static void put_other_ranks(struct ot_page *page, const struct busy_rank *ranks, size_t n_drawn,
                            size_t n)
{
    struct ot_html *html = &page->html;
    size_t n_silent = page->report->analysis->n_sessions - n;
    int64_t busy_ns = 0;
    for (size_t i = n_drawn; i < n; i++)
        ot_sum_add(&busy_ns, ranks[i].busy_ns);
    if (n_drawn < n) {
        ot_html_putf(html, "<p class=shown>Drawn: %zu of %zu ranks, the busiest; ", n_drawn, n);
        ot_html_putf(html, "the %zu others were ", n - n_drawn);
        put_busy(page, busy_ns);
        ot_html_put(html, ".</p>\n");
    }
    if (n_silent)
        ot_html_putf(html, "<p class=shown>%zu ranks ran no call.</p>\n", n_silent);
}

static void put_ranks(struct drawing *drawing)
{
    struct ot_page *page = drawing->page;
    struct busy_rank *ranks = calloc(page->report->analysis->n_sessions, sizeof(*ranks));
    page->html.failed |= !ranks;
    if (!ranks)
        return;
    size_t n_rows = 0;
    size_t n = list_ranks(page, ranks, &n_rows);
    size_t max_drawn = n_rows > n ? MAX_STRIPS / 2 : MAX_STRIPS;
    size_t n_drawn = n < max_drawn ? n : max_drawn;
    qsort(ranks, n, sizeof(*ranks), busiest_first);
    qsort(ranks, n_drawn, sizeof(*ranks), in_place);
    ot_html_put(&page->html, "<p>Each rank over its own time, all its threads together and all its "
                             "devices: how many were busy at once.</p>\n<div class=tracks>\n");
    for (size_t i = 0; i < n_drawn; i++)
        put_rank(drawing, page->sessions[ranks[i].place]);
    ot_html_put(&page->html, "</div>\n");
    put_other_ranks(page, ranks, n_drawn, n);
    free(ranks);
}

/* --- the section --------------------------------------------------------------------------------
 */

void ot_page_activity(struct ot_page *page)
{
    const struct ot_activity *activity = page->report->activity;
    size_t n_sessions = page->report->analysis->n_sessions;
    struct drawing drawing = {
        .page = page,
        .lines.items = calloc(activity->n_lines + 1, sizeof(const struct ot_activity_line *)),
        .shares = calloc(activity->opts.n_bins, sizeof(double)),
    };
    ot_page_begin_section(page, "activity", "Activity");
    ot_html_put(&page->html,
                "<p>How much of each moment a thread was inside an operator or a call into a "
                "runtime, and a device had work. Time runs from the first call to the end of the "
                "last one.</p>\n");
    page->html.failed |= !drawing.lines.items || !drawing.shares;
    bool has_lines = n_sessions <= MAX_STRIPS / MIN_STRIPS;
    for (size_t i = 0; i < n_sessions && has_lines && !page->html.failed; i++) {
        drawing.n_left = MAX_STRIPS / n_sessions;
        put_session(&drawing, page->sessions[i]);
    }
    if (!has_lines && !page->html.failed)
        put_ranks(&drawing);
    ot_html_put(&page->html, "</section>\n");
    free(drawing.lines.items);
    free(drawing.shares);
}
