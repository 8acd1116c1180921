#include "emit/diff/words.h"

#include <inttypes.h>

#include "base/units.h"

const struct ot_diff_shown ot_diff_shown[] = {
    {"host_busy_time", "Host busy"},
    {"span", "Span"},
    {"calls", "Calls"},
    {"synchronization_time", "Synchronization"},
    {"compilation_time", "Compilation"},
    {"warmup_time", "Warm-up"},
    {"device_time_union", "Device busy"},
    {"device_time_sum", "Device time, summed"},
    {"unattributed_device_time", "  of no operator"},
    {"allocation_bytes", "Allocated"},
    {"unattributed_allocation_bytes", "  by no operator"},
    {"freed_bytes", "Freed"},
    {"peak_allocated_bytes", "Peak allocated"},
    {NULL, NULL},
};

void ot_diff_add_amount(struct ot_str *str, struct ot_text unit, ot_diff_sum amount, bool is_signed)
{
    char text[OT_UNITS_BYTES];
    ot_diff_size size = ot_diff_size_of(amount);
    uint64_t held = size > UINT64_MAX ? UINT64_MAX : (uint64_t)size;
    if (ot_text_same(unit, ot_text_of("ns")))
        ot_units_ns(text, held);
    else if (ot_text_same(unit, ot_text_of("bytes")))
        ot_units_bytes(text, held);
    else
        ot_units_count(text, held);
    const char *sign = amount > 0 && is_signed ? "+" : "";
    ot_str_addf(str, "%s%s", amount < 0 ? "-" : sign, text);
}

void ot_diff_add_percent(struct ot_str *str, int64_t change, int64_t before)
{
    char text[OT_UNITS_BYTES];
    if (before <= 0)
        return;
    ot_units_fixed(text, 100. * ((double)change / (double)before), 2);
    ot_str_addf(str, "%s%s%%", change > 0 ? "+" : "", text);
}

void ot_diff_add_interval(struct ot_str *str, struct ot_text unit,
                          const struct ot_diff_interval *interval)
{
    if (!interval->is_there)
        return;
    ot_str_addf(str, "[");
    ot_diff_add_amount(str, unit, interval->low, true);
    ot_str_addf(str, ", ");
    ot_diff_add_amount(str, unit, interval->high, true);
    ot_str_addf(str, "]");
}

void ot_diff_add_digits(struct ot_str *str, ot_diff_sum value)
{
    enum { MAX_DIGITS = 40 };
    char digits[MAX_DIGITS];
    size_t at = MAX_DIGITS;
    ot_diff_size rest = ot_diff_size_of(value);
    do
        digits[--at] = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    ot_str_addf(str, "%s", value < 0 ? "-" : "");
    ot_str_add(str, digits + at, MAX_DIGITS - at);
}

struct ot_text ot_diff_label(struct ot_text aggregate)
{
    for (const struct ot_diff_shown *shown = ot_diff_shown; shown->aggregate; shown++) {
        if (ot_text_same(aggregate, ot_text_of(shown->aggregate)))
            return ot_text_of(shown->label);
    }
    return aggregate;
}

const struct ot_diff_aggregate *ot_diff_shown_aggregate(const struct ot_diff *diff,
                                                        const struct ot_diff_shown *shown)
{
    const struct ot_diff_aggregate *aggregate = ot_diff_find_aggregate(diff, shown->aggregate);
    if (!aggregate || !ot_diff_is_known(&aggregate->value))
        return NULL;
    return aggregate->value.of[0] || aggregate->value.of[1] ? aggregate : NULL;
}

const struct ot_diff_aggregate *ot_diff_whole(const struct ot_diff *diff)
{
    const char *name = ot_diff_measures[diff->measure].whole;
    return name ? ot_diff_find_aggregate(diff, name) : NULL;
}

void ot_diff_add_side(struct ot_str *str, const struct ot_diff *diff, enum ot_diff_side side)
{
    if (diff->n_runs[side] > 1)
        ot_str_addf(str, "%zu runs: ", diff->n_runs[side]);
    for (size_t i = 0; i < diff->n_runs[side] && i < OT_DIFF_NAMED_RUNS; i++) {
        ot_str_addf(str, "%s", i ? ", " : "");
        ot_str_add_text(str, diff->runs[side][i].name);
    }
    if (diff->n_runs[side] > OT_DIFF_NAMED_RUNS)
        ot_str_addf(str, " and %zu more", diff->n_runs[side] - OT_DIFF_NAMED_RUNS);
}

void ot_diff_add_not_known(struct ot_str *str, const struct ot_diff *diff)
{
    static const char *const sides[OT_DIFF_SIDES] = {" (baseline)", " (candidate)"};
    for (size_t i = 0; i < diff->n_facts; i++) {
        const struct ot_diff_fact *fact = &diff->facts[i];
        struct ot_text unknown = ot_text_of("unknown");
        if (!fact->is_unknown)
            continue;
        ot_str_addf(str, "%s%s", str->len ? ", " : "", ot_diff_facts[fact->kind].label);
        for (int side = 0; side < OT_DIFF_SIDES; side++) {
            if (ot_text_same(fact->of[side], unknown) && !ot_text_same(fact->of[!side], unknown))
                ot_str_addf(str, "%s", sides[side]);
        }
    }
}

void ot_diff_add_trust(struct ot_str *str, const struct ot_diff *diff)
{
    const size_t *n = diff->n_runs;
    if (!diff->trust.has_intervals && n[0] == 1 && n[1] == 1) {
        ot_str_addf(str, "One run a side: nothing says how much of a change is noise. Three a side "
                         "give intervals.");
        return;
    }
    if (!diff->trust.has_intervals) {
        ot_str_addf(str,
                    "Medians of %zu and %zu runs, without intervals: these take three runs a "
                    "side.",
                    n[0], n[1]);
        return;
    }
    uint64_t n_tested = diff->operators.n_tested + diff->devices.n_tested;
    uint64_t by_chance_tenths = (n_tested * diff->trust.chance_thousandths + 50) / 100;
    size_t n_evident = diff->operators.n_evident + diff->devices.n_evident;
    unsigned chance = diff->trust.chance_thousandths;
    ot_str_addf(
        str,
        "Medians of %zu and %zu runs, and 95 %% intervals of their change (bootstrap). "
        "Where nothing has changed, %u.%u %% of intervals are clear of 0 with so many runs: "
        "of the %" PRIu64 " tested here about %" PRIu64 ".%" PRIu64 " would be, and %zu %s.",
        n[0], n[1], chance / 10, chance % 10, n_tested, by_chance_tenths / 10,
        by_chance_tenths % 10, n_evident, n_evident == 1 ? "is" : "are");
}

size_t ot_diff_n_shown(const struct ot_diff_table *table, int64_t limit)
{
    return limit < 0 || (uint64_t)limit > table->n_rows ? table->n_rows : (size_t)limit;
}

int64_t ot_diff_limit_for_people(const struct ot_diff_table *table, int64_t limit)
{
    return (int64_t)(limit < 0 || (uint64_t)limit > table->n_changed ? table->n_changed
                                                                     : (size_t)limit);
}

static void add_group(struct ot_str *str, const struct ot_diff_table *table, const char *what,
                      size_t n, ot_diff_sum change)
{
    struct ot_text unit = ot_text_of(ot_diff_measures[table->measure].unit);
    if (n == 0)
        return;
    ot_str_addf(str, "%s%s: %zu, ", str->len ? "; " : "", what, n);
    ot_diff_add_amount(str, unit, change, true);
    ot_str_addf(str, n == 1 ? "" : " together");
}

void ot_diff_add_rest(struct ot_str *str, const struct ot_diff_table *table, int64_t limit)
{
    ot_diff_sum shown = 0;
    size_t n_shown = ot_diff_n_shown(table, limit);
    for (size_t i = 0; i < n_shown; i++)
        shown += table->rows[i].measures[table->measure].change;
    add_group(str, table, "Not shown", table->n_changed - n_shown, table->change - shown);
    if (table->n_rows > table->n_changed)
        ot_str_addf(str, "%sUnchanged: %zu", str->len ? "; " : "",
                    table->n_rows - table->n_changed);
    add_group(str, table, "New", table->n_new, table->new_change);
    add_group(str, table, "Gone", table->n_vanished, table->vanished_change);
}

void ot_diff_add_title(struct ot_str *str, const struct ot_diff *diff,
                       const struct ot_diff_table *table, int64_t limit)
{
    bool is_of_devices = table == &diff->devices;
    const char *words = ot_diff_measures[table->measure].words;
    ot_str_addf(str, "%s by change of %s, %zu of %zu shown",
                is_of_devices ? "Device work" : "Operators",
                is_of_devices && table->measure == OT_DIFF_SELF ? "time" : words,
                ot_diff_n_shown(table, limit), table->n_rows);
}

static void add_thousandths(struct ot_str *str, int64_t thousandths)
{
    ot_str_addf(str, "%" PRId64, thousandths / 1000);
    if (thousandths % 1000) {
        char digits[OT_UNITS_BYTES];
        int len = snprintf(digits, sizeof(digits), ".%03d", (int)(thousandths % 1000));
        while (len > 0 && digits[len - 1] == '0')
            len--;
        ot_str_add(str, digits, (size_t)len);
    }
    ot_str_addf(str, "%%");
}

static void add_growth(struct ot_str *str, const struct ot_diff_gate *gate)
{
    const struct ot_diff_change *value = &gate->value;
    struct ot_text unit = ot_text_of(gate->unit);
    ot_diff_add_amount(str, unit, value->of[OT_DIFF_BASELINE], false);
    ot_str_addf(str, " -> ");
    ot_diff_add_amount(str, unit, value->of[OT_DIFF_CANDIDATE], false);
    if (value->of[OT_DIFF_BASELINE] > 0 && value->change) {
        ot_str_addf(str, ", ");
        ot_diff_add_percent(str, value->change, value->of[OT_DIFF_BASELINE]);
    }
    ot_str_addf(str, ", ");
    if (gate->interval.is_there)
        ot_diff_add_interval(str, unit, &gate->interval);
    else
        ot_str_addf(str, "no interval");
}

void ot_diff_add_verdict(struct ot_str *str, const struct ot_diff *diff,
                         const struct ot_diff_gate *gate)
{
    static const char *const verdicts[] = {
        [OT_DIFF_PASS] = "passed", [OT_DIFF_FAIL] = "failed", [OT_DIFF_UNKNOWN] = "not judged"};
    const struct ot_diff_aggregate *whole = ot_diff_whole(diff);
    ot_str_addf(str, "%s: ", verdicts[gate->verdict]);
    if (gate->name.len)
        ot_str_add_text(str, gate->name);
    else if (whole)
        ot_str_add_text(str, ot_diff_label(whole->name));
    ot_str_addf(str, ", limit +");
    add_thousandths(str, gate->percent_thousandths);
    ot_str_addf(str, ": ");
    if (gate->verdict == OT_DIFF_UNKNOWN)
        ot_str_add_text(str, gate->reason);
    else
        add_growth(str, gate);
}

int ot_diff_write(const struct ot_diff_report *report, enum ot_diff_format format,
                  const struct ot_look *look, FILE *out, struct ot_err *err)
{
    switch (format) {
    case OT_DIFF_JSON:
        return ot_diff_write_json(report, out, err);
    case OT_DIFF_CSV:
        ot_diff_write_csv(report, out);
        return OT_OK;
    case OT_DIFF_MARKDOWN:
        return ot_diff_write_markdown(report, out, err);
    default:
        return ot_diff_write_text(report, look, out, err);
    }
}
