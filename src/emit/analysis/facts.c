#include <inttypes.h>

#include "base/units.h"
#include "emit/analysis/text.h"
#include "emit/grid/grid.h"

/* What a value is a share of. */
enum whole { NO_WHOLE, SPAN, HOST_BUSY, DEVICE_SUM, ALLOCATED };

static const struct {
    const char *aggregate; /* empty: not one, the span is */
    const char *words;
} wholes[] = {
    [NO_WHOLE] = {"", ""},
    [SPAN] = {"", "of the span"},
    [HOST_BUSY] = {"host_busy_time", "of host busy"},
    [DEVICE_SUM] = {"device_time_sum", "of device time"},
    [ALLOCATED] = {"allocation_bytes", "of that"},
};

/* In the order in which they are shown. */
static const struct fact {
    const char *aggregate;
    const char *label;
    enum whole whole;
    const char *absence; /* in words, where it is 0 and nothing is said of it; NULL: it is said */
} facts[] = {
    {"host_busy_time", "Host busy", SPAN, NULL},
    {"synchronization_time", "Synchronization", SPAN, "synchronization"},
    {"compilation_time", "Compilation", SPAN, "compilation"},
    {"warmup_time", "Warm-up", HOST_BUSY, "warm-up"},
    {"device_time_union", "Device busy", SPAN, NULL},
    {"device_time_sum", "Device time, summed", NO_WHOLE, NULL},
    {"unattributed_device_time", "  of no operator", DEVICE_SUM, "unattributed device time"},
    {"allocation_bytes", "Allocated", NO_WHOLE, NULL},
    {"unattributed_allocation_bytes", "  by no operator", ALLOCATED, "unattributed allocations"},
    {"freed_bytes", "Freed", NO_WHOLE, NULL},
    {"peak_allocated_bytes", "Peak allocated", NO_WHOLE, NULL},
};
enum { N_FACTS = sizeof(facts) / sizeof(facts[0]) };

static const struct {
    const char *coverage;
    const char *words;
} recorded[] = {
    {"self_cpu_time", "host work"},           {"device_time", "device work"},
    {"memory_allocations", "memory"},         {"input_shapes", "input shapes"},
    {"phase_annotations", "phases"},          {"python_stacks", "Python stacks"},
    {"overload_names", "names of overloads"},
};

static const struct {
    const char *reason;
    const char *words;
} reasons[] = {
    {"no_launch_record", "no record of its launch"},
    {"graph_launch", "launched by a graph outside every operator"},
    {"outside_every_operator", "launched outside every operator"},
};

static const struct ot_grid_column columns[] = {{"", true, 0}, {"", false, 0}, {"", true, 0}};

static const struct ot_aggregate *find(const struct ot_analysis *analysis, const char *name)
{
    for (size_t i = 0; i < analysis->n_aggregates; i++) {
        if (ot_text_same(analysis->aggregates[i].name, ot_text_of(name)))
            return &analysis->aggregates[i];
    }
    return NULL;
}

static bool is_known(const struct ot_aggregate *aggregate)
{
    return aggregate && aggregate->kind != OT_VALUE_UNAVAILABLE;
}

static int64_t whole_of(const struct ot_analysis *analysis, enum whole whole)
{
    if (whole == SPAN) {
        int64_t span_ns = 0;
        bool fits = !__builtin_sub_overflow(analysis->end_ns, analysis->start_ns, &span_ns);
        return analysis->has_times && fits ? span_ns : 0;
    }
    const struct ot_aggregate *aggregate = find(analysis, wholes[whole].aggregate);
    return is_known(aggregate) ? aggregate->value : 0;
}

static void add_value(struct ot_grid *grid, const struct ot_aggregate *aggregate, int64_t value)
{
    char text[OT_UNITS_BYTES];
    uint64_t amount = value < 0 ? 0 : (uint64_t)value;
    if (ot_text_same(aggregate->unit, ot_text_of("bytes")))
        ot_units_bytes(text, amount);
    else
        ot_units_ns(text, amount);
    ot_grid_add(grid, ot_text_of(text));
}

static void add_share(struct ot_str *str, const struct ot_analysis *analysis, enum whole whole,
                      int64_t value)
{
    int64_t sum = whole_of(analysis, whole);
    if (whole == NO_WHOLE || sum <= 0 || value < 0)
        return;
    char percent[OT_UNITS_BYTES];
    ot_units_percent(percent, (uint64_t)value, (uint64_t)sum);
    ot_str_addf(str, "%s %s", percent, wholes[whole].words);
}

static const char *words_of(struct ot_text reason)
{
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (ot_text_same(reason, ot_text_of(reasons[i].reason)))
            return reasons[i].words;
    }
    return "other";
}

static void add_part(struct ot_grid *grid, const struct ot_analysis *analysis,
                     const struct fact *fact, const struct ot_aggregate *aggregate,
                     const struct ot_aggregate_part *part)
{
    struct ot_str label = {0};
    struct ot_str share = {0};
    bool is_device = ot_text_same(aggregate->parts_name, ot_text_of("by_device"));
    if (is_device) {
        ot_str_addf(&label, "%s", part->has_device_type ? "  " : "  device ");
        ot_str_add_text(&label, part->label);
        if (analysis->n_sessions > 1) {
            ot_str_addf(&label, ", rank ");
            ot_analysis_add_rank(analysis, part->session, &label);
        }
        add_share(&share, analysis, fact->whole, part->value);
    } else {
        ot_str_addf(&share, "%s (%" PRIu64 " %s)", words_of(part->label), part->n_events,
                    part->n_events == 1 ? "event" : "events");
    }
    ot_grid_add(grid, (struct ot_text){ot_str_borrow(&label), label.len});
    add_value(grid, aggregate, part->value);
    ot_grid_add(grid, (struct ot_text){ot_str_borrow(&share), share.len});
    grid->failed |= label.failed || share.failed;
    ot_str_release(&label);
    ot_str_release(&share);
}

static bool is_a_line(const struct fact *fact, const struct ot_aggregate *aggregate)
{
    return is_known(aggregate) && (aggregate->value != 0 || !fact->absence);
}

static void add_remark(struct ot_str *str, const struct ot_analysis *analysis,
                       const struct fact *fact, const struct ot_aggregate *aggregate)
{
    /* The devices have the span in common; what they add up to has no share of it. */
    bool is_sum = fact->whole == SPAN && aggregate->n_parts > 1;
    if (!is_sum)
        add_share(str, analysis, fact->whole, aggregate->value);
    if (aggregate->n_parts == 1 && aggregate->parts[0].label.len) {
        ot_str_addf(str, "%s%s", str->len ? ", " : "",
                    aggregate->parts[0].has_device_type ? "on " : "on device ");
        ot_str_add_text(str, aggregate->parts[0].label);
    }
}

static void add_fact(struct ot_grid *grid, const struct ot_analysis *analysis,
                     const struct fact *fact)
{
    const struct ot_aggregate *aggregate = find(analysis, fact->aggregate);
    if (!is_a_line(fact, aggregate))
        return;
    struct ot_str remark = {0};
    add_remark(&remark, analysis, fact, aggregate);
    ot_grid_add(grid, ot_text_of(fact->label));
    add_value(grid, aggregate, aggregate->value);
    ot_grid_add(grid, (struct ot_text){ot_str_borrow(&remark), remark.len});
    grid->failed |= remark.failed;
    ot_str_release(&remark);
    for (size_t i = 0; i < aggregate->n_parts && aggregate->n_parts > 1; i++) {
        if (aggregate->parts[i].value)
            add_part(grid, analysis, fact, aggregate, &aggregate->parts[i]);
    }
}

static void add_word(struct ot_str *words, const char *word)
{
    ot_str_addf(words, "%s%s", words->len ? ", " : "", word);
}

static void add_not_recorded(const struct ot_analysis *analysis, struct ot_str *words)
{
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        for (size_t k = 0; k < analysis->n_coverage; k++) {
            if (!analysis->coverage[k].is_there &&
                ot_text_same(analysis->coverage[k].name, ot_text_of(recorded[i].coverage)))
                add_word(words, recorded[i].words);
        }
    }
}

static void add_none_seen(const struct ot_analysis *analysis, struct ot_str *words)
{
    for (size_t i = 0; i < N_FACTS; i++) {
        const struct ot_aggregate *aggregate = find(analysis, facts[i].aggregate);
        if (is_known(aggregate) && !is_a_line(&facts[i], aggregate))
            add_word(words, facts[i].absence);
    }
}

static void write_absences(struct ot_analysis_text *text)
{
    struct ot_str none = {0};
    struct ot_str not_recorded = {0};
    add_none_seen(text->report->analysis, &none);
    add_not_recorded(text->report->analysis, &not_recorded);
    if (none.len || not_recorded.len)
        putc('\n', text->out);
    if (none.len)
        ot_analysis_write_words(text, OT_STYLE_PLAIN, "None seen: ", &none);
    if (not_recorded.len)
        ot_analysis_write_words(text, OT_STYLE_PLAIN, "Not recorded: ", &not_recorded);
    ot_str_release(&none);
    ot_str_release(&not_recorded);
}

void ot_analysis_write_facts(struct ot_analysis_text *text)
{
    struct ot_grid grid = {
        .columns = columns,
        .n_columns = sizeof(columns) / sizeof(columns[0]),
        .has_no_titles = true,
    };
    for (size_t i = 0; i < N_FACTS; i++)
        add_fact(&grid, text->report->analysis, &facts[i]);
    ot_grid_write(&grid, text->look, text->out);
    text->failed |= grid.failed;
    ot_grid_release(&grid);
    write_absences(text);
}
