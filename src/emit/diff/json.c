#include "emit/json/json.h"

#include <inttypes.h>

#include "base/units.h"
#include "emit/diff/words.h"

/* What is being written. */
struct writer {
    struct ot_json json;
    const struct ot_diff_report *report;
    bool failed;
};

static void begin_object(struct writer *w, const char *key)
{
    ot_json_key(&w->json, ot_text_of(key));
    ot_json_begin_object(&w->json);
}

static void begin_array(struct writer *w, const char *key)
{
    ot_json_key(&w->json, ot_text_of(key));
    ot_json_begin_array(&w->json);
}

static void put_string(struct writer *w, const char *key, const char *value)
{
    ot_json_put_text(&w->json, key, ot_text_of(value));
}

static void put_null(struct writer *w, const char *key)
{
    ot_json_key(&w->json, ot_text_of(key));
    ot_json_null(&w->json);
}

static void put_sum(struct writer *w, const char *key, ot_diff_sum value)
{
    struct ot_str digits = {0};
    ot_diff_add_digits(&digits, value);
    ot_json_key(&w->json, ot_text_of(key));
    ot_json_number(&w->json, ot_str_borrow(&digits));
    w->failed |= digits.failed;
    ot_str_release(&digits);
}

static void put_percent(struct writer *w, const struct ot_diff_change *change)
{
    char text[OT_UNITS_BYTES];
    if (!ot_diff_is_known(change) || change->of[OT_DIFF_BASELINE] <= 0) {
        put_null(w, "percent");
        return;
    }
    ot_units_fixed(text, 100. * ((double)change->change / (double)change->of[OT_DIFF_BASELINE]), 3);
    ot_json_key(&w->json, ot_text_of("percent"));
    ot_json_number(&w->json, text);
}

static void put_interval(struct writer *w, const struct ot_diff_interval *interval)
{
    if (!interval->is_there) {
        put_null(w, "interval");
        put_null(w, "evident");
        return;
    }
    begin_object(w, "interval");
    ot_json_put_signed(&w->json, "low", interval->low);
    ot_json_put_signed(&w->json, "high", interval->high);
    ot_json_end_object(&w->json);
    ot_json_put_bool(&w->json, "evident", ot_diff_is_evident(interval));
}

static void put_change(struct writer *w, const struct ot_diff_change *change)
{
    for (int side = 0; side < OT_DIFF_SIDES; side++)
        ot_json_put_signed_if(&w->json, ot_diff_side_names[side], change->is_known[side],
                              change->of[side]);
    ot_json_put_signed_if(&w->json, "change", ot_diff_is_known(change), change->change);
}

/* --- the sides -----------------------------------------------------------------------------------
 */

static void write_run(struct writer *w, const struct ot_diff_run *run)
{
    ot_json_begin_object(&w->json);
    ot_json_put_text(&w->json, "input", run->name);
    ot_json_put_text(&w->json, "format", run->format);
    if (run->commit.len)
        ot_json_put_text(&w->json, "commit", run->commit);
    begin_array(w, "artifacts");
    for (size_t i = 0; i < run->n_artifacts; i++)
        ot_json_text(&w->json, run->artifacts[i]);
    ot_json_end_array(&w->json);
    put_string(w, "completeness", run->is_exact ? "exact" : "lower_bound");
    ot_json_put_text(&w->json, "reasons", run->reasons);
    ot_json_end_object(&w->json);
}

static void write_sides(struct writer *w)
{
    const struct ot_diff *diff = w->report->diff;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        begin_object(w, ot_diff_side_names[side]);
        ot_json_put_unsigned(&w->json, "left_out", diff->n_twins[side]);
        begin_array(w, "runs");
        for (size_t i = 0; i < diff->n_runs[side]; i++)
            write_run(w, &diff->runs[side][i]);
        ot_json_end_array(&w->json);
        ot_json_end_object(&w->json);
    }
}

static void write_facts(struct writer *w)
{
    const struct ot_diff *diff = w->report->diff;
    begin_array(w, "differences");
    for (size_t i = 0; i < diff->n_facts; i++) {
        const struct ot_diff_fact *fact = &diff->facts[i];
        ot_json_begin_object(&w->json);
        put_string(w, "code", ot_diff_facts[fact->kind].code);
        put_string(w, "status", fact->is_unknown ? "unknown" : "different");
        for (int side = 0; side < OT_DIFF_SIDES; side++)
            ot_json_put_text(&w->json, ot_diff_side_names[side], fact->of[side]);
        ot_json_end_object(&w->json);
    }
    ot_json_end_array(&w->json);

    begin_object(w, "input_shapes");
    ot_json_put_unsigned(&w->json, "operators", diff->shapes.n_common);
    ot_json_put_unsigned(&w->json, "other", diff->shapes.n_other);
    ot_json_put_unsigned(&w->json, "unknown", diff->shapes.n_unknown);
    begin_object(w, "other_self_ns");
    for (int side = 0; side < OT_DIFF_SIDES; side++)
        ot_json_put_signed(&w->json, ot_diff_side_names[side], diff->shapes.other_ns[side]);
    ot_json_end_object(&w->json);
    ot_json_end_object(&w->json);
}

static void write_trust(struct writer *w)
{
    const struct ot_diff *diff = w->report->diff;
    const struct ot_diff_trust *trust = &diff->trust;
    ot_json_key(&w->json, ot_text_of("intervals"));
    if (!trust->has_intervals) {
        ot_json_null(&w->json);
        return;
    }
    char chance[OT_UNITS_BYTES];
    snprintf(chance, sizeof(chance), "0.%03u", trust->chance_thousandths % 1000);
    ot_json_begin_object(&w->json);
    put_string(w, "method", "percentile bootstrap of the change of medians");
    ot_json_put_unsigned(&w->json, "percent", 95);
    ot_json_put_unsigned(&w->json, "resamples", trust->n_resamples);
    ot_json_key(&w->json, ot_text_of("chance"));
    ot_json_number(&w->json, trust->chance_thousandths < 1000 ? chance : "1");
    ot_json_put_unsigned(&w->json, "tested", diff->operators.n_tested + diff->devices.n_tested);
    ot_json_put_unsigned(&w->json, "evident", diff->operators.n_evident + diff->devices.n_evident);
    ot_json_end_object(&w->json);
}

/* --- numbers -------------------------------------------------------------------------------------
 */

static void write_aggregate(struct writer *w, const struct ot_diff_aggregate *aggregate)
{
    static const char *const kinds[] = {[OT_VALUE_EXACT] = "exact",
                                        [OT_VALUE_LOWER_BOUND] = "lower_bound",
                                        [OT_VALUE_UNAVAILABLE] = "unavailable"};
    ot_json_key(&w->json, aggregate->name);
    ot_json_begin_object(&w->json);
    ot_json_put_text(&w->json, "unit", aggregate->unit);
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        begin_object(w, ot_diff_side_names[side]);
        ot_json_put_signed_if(&w->json, "value", aggregate->value.is_known[side],
                              aggregate->value.of[side]);
        put_string(w, "kind", kinds[aggregate->kinds[side]]);
        ot_json_put_text(&w->json, "reasons", aggregate->reasons[side]);
        ot_json_end_object(&w->json);
    }
    ot_json_put_signed_if(&w->json, "change", ot_diff_is_known(&aggregate->value),
                          aggregate->value.change);
    put_percent(w, &aggregate->value);
    put_interval(w, &aggregate->interval);
    ot_json_end_object(&w->json);
}

static void write_row(struct writer *w, const struct ot_diff_operator *row,
                      enum ot_diff_measure measure)
{
    static const char *const presences[] = {
        [OT_DIFF_BOTH] = "both", [OT_DIFF_NEW] = "new", [OT_DIFF_VANISHED] = "vanished"};
    ot_json_begin_object(&w->json);
    ot_json_put_text(&w->json, "name", row->name);
    ot_json_put_text(&w->json, "kind", row->kind);
    put_string(w, "presence", presences[row->presence]);
    ot_json_put_signed(&w->json, "change", row->measures[measure].change);
    put_percent(w, &row->measures[measure]);
    put_sum(w, "calls_part", row->calls_part);
    put_sum(w, "value_part", row->value_part);
    put_interval(w, &row->interval);
    for (int i = 0; i < OT_DIFF_MEASURES; i++) {
        begin_object(w, ot_diff_measures[i].member);
        put_change(w, &row->measures[i]);
        ot_json_end_object(&w->json);
    }
    ot_json_end_object(&w->json);
}

static void write_group(struct writer *w, const char *key, size_t n, ot_diff_sum change)
{
    begin_object(w, key);
    ot_json_put_unsigned(&w->json, "operators", n);
    put_sum(w, "change", change);
    ot_json_end_object(&w->json);
}

static void write_table(struct writer *w, const char *key, const struct ot_diff_table *table)
{
    int64_t limit = w->report->limit;
    size_t n = ot_diff_n_shown(table, limit);
    ot_diff_sum shown = 0;
    for (size_t i = 0; i < n; i++)
        shown += table->rows[i].measures[table->measure].change;
    begin_object(w, key);
    put_string(w, "measure", ot_diff_measures[table->measure].member);
    ot_json_put_unsigned(&w->json, "total", table->n_rows);
    ot_json_put_unsigned(&w->json, "returned", n);
    ot_json_put_bool(&w->json, "truncated", n < table->n_rows);
    ot_json_put_signed_if(&w->json, "limit", limit >= 0, limit);
    ot_json_put_unsigned(&w->json, "changed", table->n_changed);
    put_sum(w, "change", table->change);
    write_group(w, "new", table->n_new, table->new_change);
    write_group(w, "vanished", table->n_vanished, table->vanished_change);
    write_group(w, "not_returned", table->n_rows - n, table->change - shown);
    begin_array(w, "rows");
    for (size_t i = 0; i < n; i++)
        write_row(w, &table->rows[i], table->measure);
    ot_json_end_array(&w->json);
    ot_json_end_object(&w->json);
}

static void write_gate(struct writer *w, const struct ot_diff_gate *gate)
{
    static const char *const verdicts[] = {
        [OT_DIFF_PASS] = "pass", [OT_DIFF_FAIL] = "fail", [OT_DIFF_UNKNOWN] = "unknown"};
    char limit[OT_UNITS_BYTES];
    snprintf(limit, sizeof(limit), "%" PRId64 ".%03d", gate->percent_thousandths / 1000,
             (int)(gate->percent_thousandths % 1000));
    ot_json_begin_object(&w->json);
    if (gate->name.len)
        ot_json_put_text(&w->json, "operator", gate->name);
    else
        put_null(w, "operator");
    ot_json_key(&w->json, ot_text_of("limit_percent"));
    ot_json_number(&w->json, limit);
    put_string(w, "verdict", verdicts[gate->verdict]);
    ot_json_put_text(&w->json, "reason", gate->reason);
    put_string(w, "unit", gate->unit);
    put_change(w, &gate->value);
    put_percent(w, &gate->value);
    put_interval(w, &gate->interval);
    ot_json_end_object(&w->json);
}

int ot_diff_write_json(const struct ot_diff_report *report, FILE *out, struct ot_err *err)
{
    struct writer w = {.json = {.out = out}, .report = report};
    const struct ot_diff *diff = report->diff;
    ot_json_begin_object(&w.json);
    put_string(&w, "schema", "optally.diff/1");
    put_string(&w, "profile", OT_ANALYSIS_PROFILE);
    put_string(&w, "measure", ot_diff_measures[diff->measure].name);
    write_sides(&w);
    write_facts(&w);
    write_trust(&w);
    begin_object(&w, "aggregates");
    for (size_t i = 0; i < diff->n_aggregates; i++)
        write_aggregate(&w, &diff->aggregates[i]);
    ot_json_end_object(&w.json);
    write_table(&w, "operators", &diff->operators);
    write_table(&w, "device_work", &diff->devices);
    begin_array(&w, "gate");
    for (size_t i = 0; i < report->n_gates; i++)
        write_gate(&w, &report->gates[i]);
    ot_json_end_array(&w.json);
    ot_json_end_object(&w.json);
    putc('\n', out);
    return w.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for the comparison") : OT_OK;
}
