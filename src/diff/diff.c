#include "diff/diff.h"

#include <assert.h>
#include <stdlib.h>

#include "base/vec.h"
#include "diff/gather.h"
#include "stats/completeness.h"

const struct ot_diff_measure_class ot_diff_measures[OT_DIFF_MEASURES] = {
    [OT_DIFF_SELF] = {"self", "self time", "self_ns", "ns", "host_busy_time"},
    [OT_DIFF_DEVICE] = {"device", "device time", "device_self_ns", "ns", "device_time_sum"},
    [OT_DIFF_INCLUSIVE] = {"inclusive", "inclusive time", "inclusive_ns", "ns", NULL},
    [OT_DIFF_CALLS] = {"calls", "calls", "calls", "calls", "calls"},
    [OT_DIFF_ALLOCATED] = {"allocated", "allocated memory", "allocation_bytes", "bytes",
                           "allocation_bytes"},
};

const char *const ot_diff_side_names[OT_DIFF_SIDES] = {"baseline", "candidate"};

int ot_diff_measure_parse(const char *value, enum ot_diff_measure *ret_measure, struct ot_err *err)
{
    for (int i = 0; i < OT_DIFF_MEASURES; i++) {
        if (strcmp(value, ot_diff_measures[i].name) == 0) {
            *ret_measure = (enum ot_diff_measure)i;
            return OT_OK;
        }
    }
    return ot_err_set(err, OT_ERR_USAGE,
                      "--measure: '%s' is none of self, device, inclusive, calls, allocated",
                      value);
}

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
}

static bool keep(struct ot_diff *diff, struct ot_text text, struct ot_text *ret_text)
{
    char *bytes = ot_arena_copy(&diff->arena, text.bytes, text.len);
    *ret_text = (struct ot_text){bytes, text.len};
    return bytes != NULL;
}

static bool keep_artifacts(struct ot_diff *diff, const struct ot_diff_input *input,
                           struct ot_diff_run *run)
{
    size_t n = input->analysis->n_sessions;
    run->artifacts = ot_arena_alloc(&diff->arena, (n + 1) * sizeof(*run->artifacts));
    bool has_room = run->artifacts != NULL;
    for (size_t i = 0; has_room && i < n; i++)
        has_room = keep(diff, ot_text_of(input->artifacts[i]), &run->artifacts[i]);
    if (has_room && n)
        qsort(run->artifacts, n, sizeof(*run->artifacts), ot_text_order);
    run->n_artifacts = n;
    return has_room;
}

static int keep_reasons(struct ot_diff *diff, const struct ot_counts *counts,
                        struct ot_diff_run *run, struct ot_err *err)
{
    struct ot_str words = {0};
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS; i++) {
        struct ot_str reason = {0};
        if (ot_completeness_reason(counts, i, &reason))
            ot_str_addf(&words, "%s%s", words.len ? "; " : "", ot_str_borrow(&reason));
        words.failed |= reason.failed;
        ot_str_release(&reason);
    }
    run->is_exact = ot_completeness_exact(counts);
    bool has_room = !words.failed &&
                    keep(diff, (struct ot_text){ot_str_borrow(&words), words.len}, &run->reasons);
    ot_str_release(&words);
    return has_room ? OT_OK : out_of_memory(err);
}

static bool is_twin(const struct ot_diff_run *a, const struct ot_diff_run *b)
{
    bool is_same = a->n_artifacts == b->n_artifacts;
    for (size_t i = 0; is_same && i < a->n_artifacts; i++)
        is_same = ot_text_same(a->artifacts[i], b->artifacts[i]);
    return is_same;
}

static bool has_twin(const struct ot_diff *diff, enum ot_diff_side side,
                     const struct ot_diff_run *run)
{
    for (size_t i = 0; i < diff->n_runs[side]; i++) {
        if (is_twin(&diff->runs[side][i], run))
            return true;
    }
    return false;
}

static int describe(struct ot_diff *diff, const struct ot_diff_input *input,
                    struct ot_diff_run *run, struct ot_err *err)
{
    run->is_empty = input->analysis->operators.n_rows == 0;
    bool has_room = keep(diff, ot_text_of(input->name), &run->name) &&
                    keep(diff, ot_text_of(input->format), &run->format) &&
                    keep(diff, ot_text_of(input->commit ? input->commit : ""), &run->commit) &&
                    keep_artifacts(diff, input, run);
    return has_room ? OT_OK : out_of_memory(err);
}

static int begin(struct ot_diff *diff, struct ot_err *err)
{
    if (!diff->gather)
        diff->gather = calloc(1, sizeof(*diff->gather));
    return diff->gather ? OT_OK : out_of_memory(err);
}

static int make_room(struct ot_diff *diff, enum ot_diff_side side, struct ot_err *err)
{
    struct ot_diff_gather *gather = diff->gather;
    size_t need = diff->n_runs[side] + 1;
    assert(need <= OT_DIFF_MAX_RUNS);
    if (!ot_vec_reserve(&gather->runs[side], &gather->run_cap[side], need,
                        sizeof(*gather->runs[side])) ||
        !ot_vec_reserve(&diff->runs[side], &gather->told_cap[side], need,
                        sizeof(*diff->runs[side])))
        return out_of_memory(err);
    return OT_OK;
}

int ot_diff_add(struct ot_diff *diff, enum ot_diff_side side, const struct ot_diff_input *input,
                bool *ret_is_twin, struct ot_err *err)
{
    struct ot_diff_run run = {0};
    int code = begin(diff, err);
    if (code == OT_OK)
        code = make_room(diff, side, err);
    if (code == OT_OK)
        code = describe(diff, input, &run, err);
    if (code < 0)
        return code;
    *ret_is_twin = has_twin(diff, side, &run);
    if (*ret_is_twin) {
        diff->n_twins[side]++;
        return OT_OK;
    }
    struct ot_diff_gathered_run *gathered = &diff->gather->runs[side][diff->n_runs[side]];
    *gathered = (struct ot_diff_gathered_run){0};
    diff->runs[side][diff->n_runs[side]++] = run;
    code = ot_diff_gather_rows(diff->gather, side, input->analysis, gathered, err);
    if (code == OT_OK)
        code = ot_diff_gather_readings(diff->gather, input->analysis, gathered, err);
    if (code == OT_OK)
        code = ot_diff_gather_traits(diff->gather, side, input, err);
    struct ot_counts counts = input->analysis->counts;
    counts.overflowed_sums += gathered->n_overflowed;
    if (code == OT_OK)
        code = keep_reasons(diff, &counts, &diff->runs[side][diff->n_runs[side] - 1], err);
    return code;
}

const struct ot_diff_aggregate *ot_diff_find_aggregate(const struct ot_diff *diff, const char *name)
{
    for (size_t i = 0; i < diff->n_aggregates; i++) {
        if (ot_text_same(diff->aggregates[i].name, ot_text_of(name)))
            return &diff->aggregates[i];
    }
    return NULL;
}

void ot_diff_release(struct ot_diff *diff)
{
    if (!diff)
        return;
    ot_diff_gather_free(diff->gather, diff->n_runs);
    for (int side = 0; side < OT_DIFF_SIDES; side++)
        free(diff->runs[side]);
    ot_arena_release(&diff->arena);
    *diff = (struct ot_diff){0};
}
