/* parts.c: what a number is made of: what each device has of it, or each reason. */
#include <stdlib.h>

#include "emit/report/page.h"

enum { MAX_PARTS = 8 };

static const struct {
    const char *reason;
    const char *words;
} reasons[] = {
    {"no_launch_record", "no record of its launch"},
    {"graph_launch", "launched by a graph outside every operator"},
    {"outside_every_operator", "launched outside every operator"},
};

void ot_page_put_value(struct ot_page *page, const struct ot_aggregate *aggregate, int64_t value)
{
    if (ot_text_same(aggregate->unit, ot_text_of("bytes")))
        ot_html_bytes(&page->html, value);
    else
        ot_html_ns(&page->html, value);
}

void ot_page_put_part_label(struct ot_page *page, const struct ot_aggregate *aggregate,
                            const struct ot_aggregate_part *part)
{
    if (!ot_text_same(aggregate->parts_name, ot_text_of("by_device"))) {
        for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
            if (ot_text_same(part->label, ot_text_of(reasons[i].reason)))
                ot_html_put(&page->html, reasons[i].words);
        }
        return;
    }
    ot_html_put(&page->html, part->has_device_type ? "" : "device ");
    ot_html_text(&page->html, part->label, OT_PAGE_NAME_SIZE);
    if (page->report->analysis->n_sessions > 1) {
        ot_html_put(&page->html, ", rank ");
        ot_page_put_rank(page, part->session);
    }
}

struct place {
    const struct ot_aggregate_part *part;
    uint32_t rank; /* its session's place among the sessions */
};

static int by_rank(const void *a, const void *b)
{
    const struct place *place_a = a;
    const struct place *place_b = b;
    if (place_a->rank != place_b->rank)
        return place_a->rank < place_b->rank ? -1 : 1;
    return (place_a->part > place_b->part) - (place_a->part < place_b->part); /* of one array */
}

/* Those that have something, unless none does. */
static size_t list_parts(const struct ot_page *page, const struct ot_aggregate *aggregate,
                         struct place *places)
{
    size_t n = 0;
    for (size_t i = 0; i < aggregate->n_parts; i++) {
        const struct ot_aggregate_part *part = &aggregate->parts[i];
        bool has_session = part->session < page->report->analysis->n_sessions;
        if (part->value || aggregate->value == 0)
            places[n++] = (struct place){part, has_session ? page->places[part->session] : 0};
    }
    qsort(places, n, sizeof(*places), by_rank);
    return n;
}

void ot_page_put_parts(struct ot_page *page, const struct ot_aggregate *aggregate, int64_t whole)
{
    struct ot_html *html = &page->html;
    struct place *places = calloc(aggregate->n_parts + 1, sizeof(*places));
    html->failed |= !places;
    size_t n = places ? list_parts(page, aggregate, places) : 0;
    ot_html_put(html, n ? "<ul>\n" : "");
    for (size_t i = 0; i < n && i < MAX_PARTS; i++) {
        ot_html_put(html, "<li>");
        ot_page_put_part_label(page, aggregate, places[i].part);
        ot_html_put(html, ": ");
        ot_page_put_value(page, aggregate, places[i].part->value);
        ot_html_put(html, whole > 0 ? ", " : "");
        ot_html_percent(html, places[i].part->value, whole);
        ot_html_put(html, "</li>\n");
    }
    if (n > MAX_PARTS)
        ot_html_putf(html, "<li>and %zu more</li>\n", n - MAX_PARTS);
    ot_html_put(html, n ? "</ul>\n" : "");
    free(places);
}
