#include "emit/report/page.h"
#include "stats/completeness.h"

static const struct {
    const char *format;
    const char *one;
    const char *many;
} formats[] = {
    {"kineto", "torch.profiler trace", "torch.profiler traces"},
    {"oplog", "recording of optally", "recordings of optally"},
    {"ctf", "LTTng/CTF trace", "LTTng/CTF traces"},
};

void ot_page_begin_section(struct ot_page *page, const char *id, const char *title)
{
    ot_html_putf(&page->html,
                 "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                 id, id, id, title);
}

const char *ot_page_format(const struct ot_report *report, bool is_one)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i].format, report->format) == 0)
            return is_one ? formats[i].one : formats[i].many;
    }
    return is_one ? "trace" : "traces";
}

void ot_page_put_at_least(struct ot_page *page)
{
    if (!ot_completeness_exact(&page->report->analysis->counts))
        ot_html_put(&page->html, "≥ ");
}

void ot_page_put_count(struct ot_page *page, uint64_t n, const char *one, const char *many)
{
    ot_html_count(&page->html, n);
    ot_html_putf(&page->html, " %s", n == 1 ? one : many);
}

const struct ot_aggregate *ot_page_aggregate(const struct ot_page *page, const char *name)
{
    const struct ot_analysis *analysis = page->report->analysis;
    for (size_t i = 0; i < analysis->n_aggregates; i++) {
        if (ot_text_same(analysis->aggregates[i].name, ot_text_of(name)))
            return &analysis->aggregates[i];
    }
    return NULL;
}

int64_t ot_page_value(const struct ot_page *page, const char *aggregate)
{
    const struct ot_aggregate *found = ot_page_aggregate(page, aggregate);
    return found && found->kind != OT_VALUE_UNAVAILABLE ? found->value : 0;
}

int64_t ot_page_span_ns(const struct ot_page *page)
{
    const struct ot_analysis *analysis = page->report->analysis;
    int64_t span_ns = 0;
    bool fits = !__builtin_sub_overflow(analysis->end_ns, analysis->start_ns, &span_ns);
    return analysis->has_times && fits ? span_ns : 0;
}

bool ot_page_covers(const struct ot_page *page, const char *coverage)
{
    const struct ot_analysis *analysis = page->report->analysis;
    for (size_t i = 0; i < analysis->n_coverage; i++) {
        if (ot_text_same(analysis->coverage[i].name, ot_text_of(coverage)))
            return analysis->coverage[i].is_there;
    }
    return false;
}
