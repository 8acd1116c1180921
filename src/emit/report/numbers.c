/* numbers.c: the headline: how much of everything, of what it is a share, and how sure that is. */
#include "emit/report/page.h"
#include "stats/completeness.h"

/* What a value is a share of. */
enum whole { NO_WHOLE, SPAN, HOST_BUSY, DEVICE_SUM, ALLOCATED };

static const struct {
    const char *aggregate; /* NULL: none, or the span */
    const char *words;
} wholes[] = {
    [NO_WHOLE] = {NULL, ""},
    [SPAN] = {NULL, "of the span"},
    [HOST_BUSY] = {"host_busy_time", "of host busy"},
    [DEVICE_SUM] = {"device_time_sum", "of device time"},
    [ALLOCATED] = {"allocation_bytes", "of what was allocated"},
};

/* In the order in which they are shown. */
static const struct number {
    const char *aggregate;
    const char *label;
    enum whole whole;
    bool goes_without; /* one that is 0 or unavailable has no card, but a word below */
    const char *absence;
    const char *meaning;
} numbers[] = {
    {"host_busy_time", "Host busy", SPAN, false, NULL,
     "self time of all operators and runtime calls, on all threads"},
    {"synchronization_time", "Synchronization", SPAN, true, "synchronization",
     "in calls that wait for a device"},
    {"compilation_time", "Compilation", SPAN, true, "compilation", "in calls that compile"},
    {"warmup_time", "Warm-up", HOST_BUSY, true, "warm-up", "host busy in a warm-up phase"},
    {"device_time_union", "Device busy", SPAN, false, NULL,
     "time in which a device had something to do"},
    {"device_time_sum", "Device time, summed", NO_WHOLE, true, NULL,
     "what overlaps counts as often as it does"},
    {"unattributed_device_time", "Device time of no operator", DEVICE_SUM, true,
     "device time of no operator", "cannot be led back to an operator"},
    {"allocation_bytes", "Allocated", NO_WHOLE, false, NULL, "all allocations, added up"},
    {"unattributed_allocation_bytes", "Allocated by no operator", ALLOCATED, true,
     "allocations by no operator", "outside every operator"},
    {"freed_bytes", "Freed", NO_WHOLE, true, NULL, "all releases, added up"},
    {"peak_allocated_bytes", "Peak allocated", NO_WHOLE, true, NULL, "the most at one time"},
};
enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

/* How to get what was not recorded. */
static const struct {
    const char *aggregate;
    const char *remedy;
} remedies[] = {
    {"device_time_union",
     "a trace of torch.profiler has it, made with <code>ProfilerActivity.CUDA</code> among its "
     "activities on a machine with a device"},
    {"allocation_bytes", "record with <code>optally record --memory</code>, or "
                         "<code>torch.profiler.profile(profile_memory=True)</code>"},
};

static const char *const badges[] = {
    [OT_VALUE_EXACT] = "<span class=\"badge exact\">exact</span>",
    [OT_VALUE_LOWER_BOUND] = "<span class=\"badge least\">at least</span>",
    [OT_VALUE_UNAVAILABLE] = "<span class=\"badge absent\">not recorded</span>",
};

static int64_t whole_of(const struct ot_page *page, enum whole whole)
{
    if (whole == SPAN)
        return ot_page_span_ns(page);
    return wholes[whole].aggregate ? ot_page_value(page, wholes[whole].aggregate) : 0;
}

static void begin_card(struct ot_page *page, const char *label, const char *badge)
{
    ot_html_putf(&page->html, "<div><dt>%s %s</dt><dd>", label, badge);
}

static void end_card(struct ot_page *page)
{
    ot_html_put(&page->html, "</dd></div>\n");
}

static void begin_value(struct ot_page *page, enum ot_value_kind kind)
{
    ot_html_putf(&page->html, "<b>%s", kind == OT_VALUE_LOWER_BOUND ? "≥ " : "");
}

static void put_known(struct ot_page *page, const struct number *number,
                      const struct ot_aggregate *aggregate)
{
    struct ot_html *html = &page->html;
    int64_t whole = whole_of(page, number->whole);
    begin_card(page, number->label, badges[aggregate->kind]);
    begin_value(page, aggregate->kind);
    ot_page_put_value(page, aggregate, aggregate->value);
    ot_html_put(html, "</b>");
    /* Devices have the span in common; what they add up to has no share of it. */
    bool is_sum = number->whole == SPAN && aggregate->n_parts > 1;
    if (whole > 0 && !is_sum) {
        ot_html_put(html, " <span class=\"share\">");
        ot_html_percent(html, aggregate->value, whole);
        ot_html_putf(html, " %s</span>", wholes[number->whole].words);
    }
    ot_html_putf(html, "\n<p>%s", number->meaning);
    if (aggregate->n_parts == 1) {
        ot_html_put(html, ": ");
        ot_page_put_part_label(page, aggregate, &aggregate->parts[0]);
    }
    ot_html_put(html, "</p>\n");
    if (aggregate->n_parts > 1)
        ot_page_put_parts(page, aggregate, number->whole == SPAN ? ot_page_span_ns(page) : 0);
    end_card(page);
}

static void put_unavailable(struct ot_page *page, const struct number *number,
                            const struct ot_aggregate *aggregate)
{
    struct ot_html *html = &page->html;
    begin_card(page, number->label, badges[OT_VALUE_UNAVAILABLE]);
    ot_html_put(html, "<b>–</b>\n<p>");
    for (size_t i = 0; i < aggregate->n_reasons; i++) {
        ot_html_put(html, i ? "; " : "");
        ot_html_text(html, aggregate->reasons[i], OT_PAGE_TEXT_SIZE);
    }
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
        if (ot_text_same(aggregate->name, ot_text_of(remedies[i].aggregate)))
            ot_html_putf(html, ": %s", remedies[i].remedy);
    }
    ot_html_put(html, "</p>\n");
    end_card(page);
}

static bool has_card(const struct number *number, const struct ot_aggregate *aggregate)
{
    if (!aggregate || !number->goes_without)
        return aggregate != NULL;
    if (aggregate->kind == OT_VALUE_UNAVAILABLE)
        return false; /* the first one of its kind says so */
    return aggregate->value != 0 || !number->absence;
}

static void put_none_seen(struct ot_page *page)
{
    bool is_first = true;
    for (size_t i = 0; i < N_NUMBERS; i++) {
        const struct ot_aggregate *aggregate = ot_page_aggregate(page, numbers[i].aggregate);
        if (!aggregate || aggregate->kind == OT_VALUE_UNAVAILABLE ||
            has_card(&numbers[i], aggregate))
            continue;
        ot_html_putf(&page->html, "%s%s", is_first ? "<p class=\"absences\">None seen: " : ", ",
                     numbers[i].absence);
        is_first = false;
    }
    ot_html_put(&page->html, is_first ? "" : ".</p>\n");
}

static bool has_times(const struct ot_population *pop)
{
    for (size_t i = 0; i < pop->n_sessions; i++) {
        if (pop->sessions[i].has_times)
            return true;
    }
    return false;
}

static void put_span(struct ot_page *page, enum ot_value_kind kind)
{
    struct ot_html *html = &page->html;
    if (page->report->analysis->has_times) {
        begin_card(page, "Span", badges[kind]);
        begin_value(page, kind);
        ot_html_ns(html, ot_page_span_ns(page));
        ot_html_put(html, "</b>\n<p>from the first call to the end of the last one</p>\n");
    } else {
        begin_card(page, "Span", "<span class=\"badge absent\">not known</span>");
        ot_html_putf(html, "<b>–</b>\n<p>%s</p>\n",
                     has_times(page->report->pop) ? "these ranks have no clock in common"
                                                  : "no call ran");
    }
    end_card(page);
}

static void put_size(struct ot_page *page)
{
    struct ot_html *html = &page->html;
    const struct ot_analysis *analysis = page->report->analysis;
    enum ot_value_kind kind =
        ot_completeness_exact(&analysis->counts) ? OT_VALUE_EXACT : OT_VALUE_LOWER_BOUND;
    put_span(page, kind);
    begin_card(page, "Calls", badges[kind]);
    begin_value(page, kind);
    ot_html_count(html, analysis->n_events);
    ot_html_put(html, "</b>\n<p>of ");
    ot_page_put_count(page, analysis->n_operators, "operator", "operators");
    ot_html_put(html, " on ");
    ot_page_put_count(page, analysis->n_tracks, "track", "tracks");
    ot_html_put(html, " of ");
    ot_page_put_count(page, analysis->n_processes, "process", "processes");
    ot_html_put(html, "</p>\n");
    end_card(page);
}

void ot_page_numbers(struct ot_page *page)
{
    ot_page_begin_section(page, "numbers", "Numbers");
    ot_html_put(&page->html, "<dl class=\"numbers\">\n");
    put_size(page);
    for (size_t i = 0; i < N_NUMBERS; i++) {
        const struct ot_aggregate *aggregate = ot_page_aggregate(page, numbers[i].aggregate);
        if (!has_card(&numbers[i], aggregate))
            continue;
        if (aggregate->kind == OT_VALUE_UNAVAILABLE)
            put_unavailable(page, &numbers[i], aggregate);
        else
            put_known(page, &numbers[i], aggregate);
    }
    ot_html_put(&page->html, "</dl>\n");
    put_none_seen(page);
    ot_html_put(&page->html, "</section>\n");
}
