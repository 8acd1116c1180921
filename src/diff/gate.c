#include "base/str.h"
#include "base/units.h"
#include "diff/diff.h"

/* "12", "12.5" or "0.125", with or without "%", in thousandths. */
static bool parse_percent(const char *text, int64_t *ret_thousandths)
{
    enum { MAX_WHOLE = 1000000000, DECIMALS = 3 };
    int64_t whole = 0;
    int n_digits = 0;
    for (; *text >= '0' && *text <= '9'; text++, n_digits++) {
        whole = whole * 10 + (*text - '0');
        if (whole > MAX_WHOLE)
            return false;
    }
    int64_t thousandths = whole * 1000;
    if (*text == '.') {
        text++;
        int64_t scale = 100;
        for (int i = 0; *text >= '0' && *text <= '9'; text++, i++, scale /= 10, n_digits++) {
            if (i >= DECIMALS)
                return false;
            thousandths += (*text - '0') * scale;
        }
    }
    text += *text == '%';
    *ret_thousandths = thousandths;
    return n_digits > 0 && *text == '\0';
}

int ot_diff_gate_parse(const char *text, struct ot_diff_gate *ret_gate, struct ot_err *err)
{
    const char *equals = strrchr(text, '=');
    struct ot_diff_gate gate = {.text = text, .unit = ""};
    gate.name = (struct ot_text){text, equals ? (size_t)(equals - text) : 0};
    if (!parse_percent(equals ? equals + 1 : text, &gate.percent_thousandths) ||
        (equals && gate.name.len == 0))
        return ot_err_set(err, OT_ERR_USAGE,
                          "--fail-above: '%s' is no percentage, such as 5%% or aten::mm=7.5%%",
                          text);
    *ret_gate = gate;
    return OT_OK;
}

/* A name can be that of an operator, a runtime call and a kernel at once: the first of these. */
static const struct ot_diff_operator *find_operator(const struct ot_diff *diff, struct ot_text name,
                                                    enum ot_diff_measure *ret_measure)
{
    static const char *const kinds[] = {"op", "runtime", "device"};
    const struct ot_diff_table *tables[] = {&diff->operators, &diff->operators, &diff->devices};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        *ret_measure = tables[k]->measure;
        for (size_t i = 0; i < tables[k]->n_rows; i++) {
            const struct ot_diff_operator *row = &tables[k]->rows[i];
            if (ot_text_same(row->name, name) && ot_text_same(row->kind, ot_text_of(kinds[k])))
                return row;
        }
    }
    return NULL;
}

static int take_operator(const struct ot_diff *diff, struct ot_diff_gate *gate, struct ot_err *err)
{
    enum ot_diff_measure measure = diff->measure;
    const struct ot_diff_operator *row = find_operator(diff, gate->name, &measure);
    if (!row)
        return ot_err_set(err, OT_ERR_USAGE, "--fail-above: neither side has an operator '%.*s'",
                          (int)gate->name.len, gate->name.bytes);
    gate->value = row->measures[measure];
    gate->interval = row->interval;
    gate->unit = ot_diff_measures[measure].unit;
    return OT_OK;
}

static int take_whole(const struct ot_diff *diff, struct ot_diff_gate *gate, struct ot_err *err)
{
    const struct ot_diff_measure_class *measure = &ot_diff_measures[diff->measure];
    const struct ot_diff_aggregate *whole =
        measure->whole ? ot_diff_find_aggregate(diff, measure->whole) : NULL;
    if (!whole)
        return ot_err_set(err, OT_ERR_USAGE,
                          "--fail-above: %s has no whole, since nested calls count it again; name "
                          "an operator: NAME=%s",
                          measure->words, gate->text);
    gate->value = whole->value;
    gate->interval = whole->interval;
    gate->unit = measure->unit;
    return OT_OK;
}

static bool is_above(const struct ot_diff_gate *gate, int64_t growth)
{
    return (ot_diff_sum)growth * 100 * 1000 >
           (ot_diff_sum)gate->value.of[OT_DIFF_BASELINE] * gate->percent_thousandths;
}

/* A run that is no evidence: incomplete, or of a recording that caught nothing. */
static const struct ot_diff_run *find_unfit(const struct ot_diff *diff)
{
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < diff->n_runs[side]; i++) {
            const struct ot_diff_run *run = &diff->runs[side][i];
            if (!run->is_exact || run->is_empty)
                return run;
        }
    }
    return NULL;
}

static void add_obstacle(const struct ot_diff *diff, const struct ot_diff_gate *gate,
                         struct ot_str *words)
{
    const struct ot_diff_run *run = find_unfit(diff);
    if (run) {
        ot_str_add_text(words, run->name);
        ot_str_addf(words, run->is_exact ? " is empty: nothing ran" : " has lower bounds: ");
        ot_str_add_text(words, run->reasons);
    } else if (!ot_diff_is_known(&gate->value)) {
        ot_str_addf(words, "one side has not recorded it");
    }
}

int ot_diff_gate_judge(struct ot_diff *diff, struct ot_diff_gate *gate, struct ot_err *err)
{
    int code = gate->name.len ? take_operator(diff, gate, err) : take_whole(diff, gate, err);
    if (code < 0)
        return code;
    struct ot_str words = {0};
    add_obstacle(diff, gate, &words);
    const char *reason = ot_arena_copy(&diff->arena, ot_str_borrow(&words), words.len);
    gate->reason = (struct ot_text){reason, words.len};
    bool failed = words.failed || !reason;
    ot_str_release(&words);
    if (failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
    bool grows = is_above(gate, gate->value.change) &&
                 (!gate->interval.is_there || is_above(gate, gate->interval.low));
    gate->verdict = grows ? OT_DIFF_FAIL : OT_DIFF_PASS;
    if (gate->reason.len)
        gate->verdict = OT_DIFF_UNKNOWN;
    return OT_OK;
}
