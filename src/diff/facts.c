#include "diff/facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/units.h"
#include "diff/gather.h"

/* How a fact is found, beside its code and label: adds what there is to say of each side, nothing
 * if there is none. Returns whether it is only unknown. */
typedef bool (*find_fact)(struct ot_diff *diff, enum ot_diff_fact_kind kind,
                          struct ot_str words[OT_DIFF_SIDES]);

const struct ot_diff_fact_class ot_diff_facts[OT_DIFF_FACT_KINDS] = {
    [OT_DIFF_RECORDING] = {"recorder", "Recorder"},
    [OT_DIFF_INCOMPLETE] = {"incomplete", "Lower bounds"},
    [OT_DIFF_SAME_TRACE] = {"same_trace", "On both sides"},
    [OT_DIFF_DEVICES] = {"devices", "Devices"},
    [OT_DIFF_TORCH] = {"torch_version", "PyTorch"},
    [OT_DIFF_HOST] = {"host", "Host"},
    [OT_DIFF_WORLD_SIZE] = {"world_size", "World size"},
    [OT_DIFF_SESSIONS] = {"sessions", "Sessions per run"},
    [OT_DIFF_RANKS] = {"ranks", "Ranks"},
    [OT_DIFF_INPUT_SHAPES] = {"input_shapes", "Input shapes"},
    [OT_DIFF_OPERATORS] = {"operators", "Operators of both"},
    [OT_DIFF_HAS_DEVICE_WORK] = {"device_work", "Device work"},
    [OT_DIFF_HAS_MEMORY] = {"memory_events", "Memory events"},
    [OT_DIFF_HAS_INPUT_SHAPES] = {"shapes_recorded", "Shapes of inputs"},
    [OT_DIFF_HAS_PYTHON_STACKS] = {"python_stacks", "Python stacks"},
    [OT_DIFF_HAS_PHASES] = {"phases", "Phases"},
    [OT_DIFF_HAS_OVERLOADS] = {"overload_names", "Names of overloads"},
};

/* --- traits: sets of words -----------------------------------------------------------------------
 */

static void add_trait(const struct ot_diff_gather *gather, const struct ot_diff_trait *trait,
                      struct ot_str *words)
{
    struct ot_text *texts = calloc(trait->words.n + 1, sizeof(*texts));
    for (size_t i = 0; texts && i < trait->words.n; i++)
        texts[i] = ot_names_text(&gather->names, trait->words.ids[i]);
    if (texts && trait->words.n)
        qsort(texts, trait->words.n, sizeof(*texts), ot_text_order);
    for (size_t i = 0; texts && i < trait->words.n; i++) {
        ot_str_addf(words, "%s", i ? " or " : "");
        ot_str_add_text(words, texts[i]);
    }
    if (trait->has_unknown)
        ot_str_addf(words, "%sunknown", trait->words.n ? " or " : "");
    words->failed |= !texts;
    free(texts);
}

/* Different words make a fact; so does not knowing, unless neither side says anything and that
 * means something in itself: no rank, so no job. */
static bool find_trait(struct ot_diff *diff, enum ot_diff_fact_kind kind,
                       struct ot_str words[OT_DIFF_SIDES])
{
    const struct ot_diff_trait *traits[OT_DIFF_SIDES] = {
        &diff->gather->traits[OT_DIFF_BASELINE][kind],
        &diff->gather->traits[OT_DIFF_CANDIDATE][kind],
    };
    bool is_known = traits[0]->words.n && traits[1]->words.n;
    bool is_of_jobs = kind == OT_DIFF_RANKS || kind == OT_DIFF_WORLD_SIZE;
    bool differs = is_known && !ot_diff_ids_same(&traits[0]->words, &traits[1]->words);
    bool is_unknown = traits[0]->has_unknown || traits[1]->has_unknown;
    if (is_of_jobs && !traits[0]->words.n && !traits[1]->words.n)
        is_unknown = false;
    for (int side = 0; side < OT_DIFF_SIDES && (differs || is_unknown); side++)
        add_trait(diff->gather, traits[side], &words[side]);
    return !differs;
}

/* --- the others ----------------------------------------------------------------------------------
 */

static bool find_incomplete(struct ot_diff *diff, enum ot_diff_fact_kind kind,
                            struct ot_str words[OT_DIFF_SIDES])
{
    (void)kind;
    bool are_exact = true;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < diff->n_runs[side]; i++)
            are_exact &= diff->runs[side][i].is_exact;
    }
    for (int side = 0; side < OT_DIFF_SIDES && !are_exact; side++) {
        size_t n_told = 0;
        for (size_t i = 0; i < diff->n_runs[side]; i++) {
            const struct ot_diff_run *run = &diff->runs[side][i];
            if (run->is_exact || n_told++ >= OT_DIFF_NAMED_RUNS)
                continue;
            ot_str_addf(&words[side], "%s", words[side].len ? "; " : "");
            if (diff->n_runs[side] > 1) {
                ot_str_add_text(&words[side], run->name);
                ot_str_addf(&words[side], ": ");
            }
            ot_str_add_text(&words[side], run->reasons);
        }
        if (n_told > OT_DIFF_NAMED_RUNS)
            ot_str_addf(&words[side], "; and %zu more", n_told - OT_DIFF_NAMED_RUNS);
        if (!words[side].len)
            ot_str_addf(&words[side], "exact");
    }
    return false;
}

static bool has_artifact(const struct ot_diff_run *run, struct ot_text artifact)
{
    return bsearch(&artifact, run->artifacts, run->n_artifacts, sizeof(artifact), ot_text_order) !=
           NULL;
}

static bool share_artifact(const struct ot_diff_run *a, const struct ot_diff_run *b)
{
    for (size_t i = 0; i < a->n_artifacts; i++) {
        if (has_artifact(b, a->artifacts[i]))
            return true;
    }
    return false;
}

static bool find_same_trace(struct ot_diff *diff, enum ot_diff_fact_kind kind,
                            struct ot_str words[OT_DIFF_SIDES])
{
    (void)kind;
    size_t n_told = 0;
    for (size_t i = 0; i < diff->n_runs[0]; i++) {
        for (size_t k = 0; k < diff->n_runs[1]; k++) {
            if (!share_artifact(&diff->runs[0][i], &diff->runs[1][k]) ||
                n_told++ >= OT_DIFF_NAMED_RUNS)
                continue;
            const struct ot_text names[] = {diff->runs[0][i].name, diff->runs[1][k].name};
            for (int side = 0; side < OT_DIFF_SIDES; side++) {
                ot_str_addf(&words[side], "%s", words[side].len ? ", " : "");
                ot_str_add_text(&words[side], names[side]);
            }
        }
    }
    for (int side = 0; side < OT_DIFF_SIDES && n_told > OT_DIFF_NAMED_RUNS; side++)
        ot_str_addf(&words[side], " and %zu more", n_told - OT_DIFF_NAMED_RUNS);
    return false;
}

static void add_share(struct ot_str *words, int64_t part, int64_t whole)
{
    char share[OT_UNITS_BYTES];
    if (part < 0 || whole <= 0)
        return;
    ot_units_percent(share, (uint64_t)part, (uint64_t)whole);
    ot_str_addf(words, "%s of self time", share);
}

static const struct ot_diff_change *host_busy(const struct ot_diff *diff)
{
    static const struct ot_diff_change none = {0};
    const struct ot_diff_aggregate *aggregate = ot_diff_find_aggregate(diff, "host_busy_time");
    return aggregate ? &aggregate->value : &none;
}

static bool find_input_shapes(struct ot_diff *diff, enum ot_diff_fact_kind kind,
                              struct ot_str words[OT_DIFF_SIDES])
{
    (void)kind;
    const struct ot_diff_shapes *shapes = &diff->shapes;
    bool is_unknown = shapes->n_other == 0;
    if (is_unknown && shapes->n_unknown == 0)
        return false;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        if (is_unknown) {
            ot_str_addf(&words[side], "%zu of %zu operators have too many to tell",
                        shapes->n_unknown, shapes->n_common);
            continue;
        }
        ot_str_addf(&words[side], "other in %zu of %zu operators, ", shapes->n_other,
                    shapes->n_common);
        add_share(&words[side], shapes->other_ns[side], host_busy(diff)->of[side]);
    }
    return is_unknown;
}

/* Less than half of either side's time: then it is hardly the same program. */
static bool find_operators(struct ot_diff *diff, enum ot_diff_fact_kind kind,
                           struct ot_str words[OT_DIFF_SIDES])
{
    (void)kind;
    ot_diff_sum all[OT_DIFF_SIDES] = {0};
    ot_diff_sum common[OT_DIFF_SIDES] = {0};
    for (size_t i = 0; i < diff->operators.n_rows; i++) {
        const struct ot_diff_operator *row = &diff->operators.rows[i];
        for (int side = 0; side < OT_DIFF_SIDES; side++) {
            int64_t self_ns = row->measures[OT_DIFF_SELF].of[side];
            all[side] += self_ns;
            common[side] += row->presence == OT_DIFF_BOTH ? self_ns : 0;
        }
    }
    bool is_most = common[0] * 2 >= all[0] && common[1] * 2 >= all[1];
    if (is_most)
        return false;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        char share[OT_UNITS_BYTES];
        if (all[side] == 0) {
            ot_str_addf(&words[side], "nothing took time");
            continue;
        }
        ot_units_fixed(share, 100. * ((double)common[side] / (double)all[side]), 2);
        ot_str_addf(&words[side], "%s%% of self time", share);
    }
    return false;
}

/* What is not here is a trait. */
static const find_fact others[OT_DIFF_FACT_KINDS] = {
    [OT_DIFF_INCOMPLETE] = find_incomplete,
    [OT_DIFF_SAME_TRACE] = find_same_trace,
    [OT_DIFF_INPUT_SHAPES] = find_input_shapes,
    [OT_DIFF_OPERATORS] = find_operators,
};

static bool keep(struct ot_diff *diff, const struct ot_str *words, struct ot_text *ret_text)
{
    const char *bytes =
        words->failed ? NULL : ot_arena_copy(&diff->arena, ot_str_borrow(words), words->len);
    *ret_text = (struct ot_text){bytes, words->len};
    return bytes != NULL;
}

int ot_diff_find_facts(struct ot_diff *diff, struct ot_err *err)
{
    bool has_room = true;
    diff->facts = ot_arena_alloc(&diff->arena, OT_DIFF_FACT_KINDS * sizeof(*diff->facts));
    if (!diff->facts)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
    for (int kind = 0; kind < OT_DIFF_FACT_KINDS && has_room; kind++) {
        struct ot_diff_fact *fact = &diff->facts[diff->n_facts];
        struct ot_str words[OT_DIFF_SIDES] = {0};
        *fact = (struct ot_diff_fact){.kind = (enum ot_diff_fact_kind)kind};
        find_fact find = others[kind] ? others[kind] : find_trait;
        fact->is_unknown = find(diff, fact->kind, words);
        bool is_one = words[0].len || words[1].len;
        for (int side = 0; side < OT_DIFF_SIDES; side++) {
            has_room &= keep(diff, &words[side], &fact->of[side]);
            ot_str_release(&words[side]);
        }
        diff->n_facts += is_one;
    }
    return has_room ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
}
