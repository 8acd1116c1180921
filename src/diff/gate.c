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

int ot_diff_gate_check(const struct ot_diff_gate *gate, enum ot_diff_measure measure,
                       struct ot_err *err)
{
    if (gate->name.len || ot_diff_measures[measure].whole)
        return OT_OK;
    return ot_err_set(err, OT_ERR_USAGE,
                      "--fail-above: %s has no whole, since nested calls count it again; name an "
                      "operator: NAME=%s",
                      ot_diff_measures[measure].words, gate->text);
}

/* False: there is nothing of that name. */
static bool take_values(const struct ot_diff *diff, struct ot_diff_gate *gate)
{
    enum ot_diff_measure measure = diff->measure;
    const struct ot_diff_operator *row = NULL;
    const struct ot_diff_aggregate *whole = NULL;
    if (gate->name.len)
        row = find_operator(diff, gate->name, &measure);
    else
        whole = ot_diff_find_aggregate(diff, ot_diff_measures[measure].whole);
    gate->unit = ot_diff_measures[row ? measure : diff->measure].unit;
    if (row || whole) {
        gate->value = row ? row->measures[measure] : whole->value;
        gate->interval = row ? row->interval : whole->interval;
    }
    return row || whole;
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

/* NULL: the sides are alike in this, or nobody knows. */
static const struct ot_diff_fact *find_difference(const struct ot_diff *diff,
                                                  enum ot_diff_fact_kind kind)
{
    for (size_t i = 0; i < diff->n_facts; i++) {
        if (diff->facts[i].kind == kind && !diff->facts[i].is_unknown)
            return &diff->facts[i];
    }
    return NULL;
}

/* What the whole is of, or what measured it, is not the same. One operator is, whatever else the
 * program does. */
static const struct ot_diff_fact *find_conflict(const struct ot_diff *diff,
                                                const struct ot_diff_gate *gate)
{
    const struct ot_diff_fact *recorders = find_difference(diff, OT_DIFF_RECORDING);
    return recorders || gate->name.len ? recorders : find_difference(diff, OT_DIFF_OPERATORS);
}

static void add_conflict(const struct ot_diff_fact *conflict, struct ot_str *words)
{
    ot_str_addf(words, conflict->kind == OT_DIFF_OPERATORS
                           ? "hardly the same program, operators of both are "
                           : "not measured the same way, recorder ");
    ot_str_add_text(words, conflict->of[OT_DIFF_BASELINE]);
    ot_str_addf(words, " -> ");
    ot_str_add_text(words, conflict->of[OT_DIFF_CANDIDATE]);
}

/* Why a verdict would be none; nothing if it is one. */
static void add_obstacle(const struct ot_diff *diff, struct ot_diff_gate *gate,
                         struct ot_str *words)
{
    const struct ot_diff_run *run = find_unfit(diff);
    const struct ot_diff_fact *conflict = find_conflict(diff, gate);
    if (!take_values(diff, gate)) {
        ot_str_addf(words, "neither side has an operator of that name");
    } else if (run) {
        ot_str_add_text(words, run->name);
        ot_str_addf(words, run->is_exact ? " is empty: nothing ran" : " has lower bounds: ");
        ot_str_add_text(words, run->reasons);
    } else if (!ot_diff_is_known(&gate->value)) {
        ot_str_addf(words, "one side has not recorded it");
    } else if (conflict) {
        add_conflict(conflict, words);
    }
}

int ot_diff_gate_judge(struct ot_diff *diff, struct ot_diff_gate *gate, struct ot_err *err)
{
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
