/* ranks.c: the sessions of a job: in which order they come, and what they are called. */
#include <inttypes.h>
#include <stdlib.h>

#include "emit/report/page.h"

/* Those without a rank come last, all as they were given otherwise. */
static int compare_sessions(const void *a, const void *b, void *context)
{
    const struct ot_analysis *analysis = context;
    uint32_t number_a = *(const uint32_t *)a;
    uint32_t number_b = *(const uint32_t *)b;
    const struct ot_session *session_a = &analysis->sessions[number_a];
    const struct ot_session *session_b = &analysis->sessions[number_b];
    if (session_a->has_rank != session_b->has_rank)
        return session_a->has_rank ? -1 : 1;
    if (session_a->has_rank && session_a->rank != session_b->rank)
        return session_a->rank < session_b->rank ? -1 : 1;
    return (number_a > number_b) - (number_a < number_b);
}

static bool same_rank(const struct ot_page *page, size_t place_a, size_t place_b)
{
    const struct ot_session *sessions = page->report->analysis->sessions;
    const struct ot_session *a = &sessions[page->sessions[place_a]];
    const struct ot_session *b = &sessions[page->sessions[place_b]];
    return a->has_rank && b->has_rank && a->rank == b->rank;
}

bool ot_page_order_sessions(struct ot_page *page)
{
    const struct ot_analysis *analysis = page->report->analysis;
    size_t n = analysis->n_sessions;
    page->sessions = calloc(n + 1, sizeof(*page->sessions));
    page->places = calloc(n + 1, sizeof(*page->places));
    page->has_twin = calloc(n + 1, sizeof(*page->has_twin));
    if (!page->sessions || !page->places || !page->has_twin)
        return false;
    for (size_t i = 0; i < n; i++)
        page->sessions[i] = (uint32_t)i;
    if (n)
        qsort_r(page->sessions, n, sizeof(*page->sessions), compare_sessions, (void *)analysis);
    for (size_t i = 0; i < n; i++) {
        page->places[page->sessions[i]] = (uint32_t)i;
        page->has_twin[page->sessions[i]] =
            (i > 0 && same_rank(page, i - 1, i)) || (i + 1 < n && same_rank(page, i, i + 1));
    }
    return true;
}

void ot_page_put_rank(struct ot_page *page, size_t session)
{
    const struct ot_analysis *analysis = page->report->analysis;
    if (session >= analysis->n_sessions || !analysis->sessions[session].has_rank)
        ot_html_putf(&page->html, "#%zu", session);
    else if (page->has_twin[session])
        ot_html_putf(&page->html, "%" PRId64 " (#%zu)", analysis->sessions[session].rank, session);
    else
        ot_html_putf(&page->html, "%" PRId64, analysis->sessions[session].rank);
}
