#include "diff/gather.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/sum.h"
#include "base/vec.h"

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
}

bool ot_diff_ids_has(const struct ot_diff_ids *ids, uint32_t id)
{
    for (size_t i = 0; i < ids->n; i++) {
        if (ids->ids[i] == id)
            return true;
    }
    return false;
}

int ot_diff_ids_add(struct ot_diff_ids *ids, uint32_t id, struct ot_err *err)
{
    if (ot_diff_ids_has(ids, id))
        return OT_OK;
    if (!ot_vec_reserve(&ids->ids, &ids->cap, ids->n + 1, sizeof(*ids->ids)))
        return out_of_memory(err);
    ids->ids[ids->n++] = id;
    return OT_OK;
}

bool ot_diff_ids_same(const struct ot_diff_ids *a, const struct ot_diff_ids *b)
{
    bool is_same = a->n == b->n;
    for (size_t i = 0; is_same && i < a->n; i++)
        is_same = ot_diff_ids_has(b, a->ids[i]);
    return is_same;
}

/* --- operators -----------------------------------------------------------------------------------
 */

static bool same_row(const void *owner, size_t index, const void *key)
{
    const struct ot_diff_row *row = (const struct ot_diff_row *)owner + index;
    const struct ot_diff_row *wanted = key;
    return row->name == wanted->name && row->kind == wanted->kind;
}

static int add_row(struct ot_diff_gather *gather, uint64_t hash, const struct ot_diff_row *row,
                   struct ot_err *err)
{
    if (!ot_vec_reserve(&gather->rows, &gather->cap, gather->n_rows + 1, sizeof(*gather->rows)) ||
        !ot_map_put(&gather->map, hash, gather->n_rows))
        return out_of_memory(err);
    gather->rows[gather->n_rows++] = *row;
    return OT_OK;
}

static int find_row(struct ot_diff_gather *gather, const struct ot_operator_row *operator,
                    size_t * ret_row, struct ot_err *err)
{
    struct ot_diff_row key = {0};
    int code = ot_names_intern(&gather->names, operator->name, &key.name, err);
    if (code == OT_OK)
        code = ot_names_intern(&gather->names, operator->kind, &key.kind, err);
    if (code < 0)
        return code;
    uint64_t hash = ot_hash_mix(key.name, key.kind);
    int64_t found = ot_map_find(&gather->map, hash, same_row, gather->rows, &key);
    if (found == OT_MAP_NONE) {
        code = add_row(gather, hash, &key, err);
        found = (int64_t)gather->n_rows - 1;
    }
    *ret_row = (size_t)found;
    return code;
}

static int add_shapes(struct ot_diff_gather *gather, enum ot_diff_side side,
                      struct ot_diff_row *row, const struct ot_operator_row *operator,
                      struct ot_err * err)
{
    int code = OT_OK;
    row->has_more_shapes[side] |= operator->n_shapes> operator->n_shapes_returned;
    for (size_t i = 0; i < operator->n_shapes_returned && code == OT_OK; i++) {
        uint32_t id = 0;
        code = ot_names_intern(&gather->names, operator->shapes[i].shapes, &id, err);
        if (code == OT_OK)
            code = ot_diff_ids_add(&row->shapes[side], id, err);
    }
    return code;
}

/* Rows that no run had before get their places, with 0 until now. */
static int make_room(struct ot_diff_gathered_run *run, size_t *cap, size_t n_rows,
                     struct ot_err *err)
{
    if (!ot_vec_reserve(&run->amounts, cap, n_rows, sizeof(*run->amounts)))
        return out_of_memory(err);
    while (run->n_amounts < n_rows)
        run->amounts[run->n_amounts++] = (struct ot_diff_amounts){0};
    return OT_OK;
}

/* What 64 bits do not hold is at its limit, and counted. */
static void add_calls(int64_t *sum, uint64_t n_calls, uint64_t *n_overflowed)
{
    bool is_held = n_calls <= INT64_MAX;
    *n_overflowed += !is_held;
    *n_overflowed += ot_sum_add(sum, is_held ? (int64_t)n_calls : INT64_MAX);
}

static void add_amounts(struct ot_diff_gathered_run *run, size_t row,
                        const struct ot_operator_row *operator)
{
    int64_t *sums = run->amounts[row].of;
    const int64_t more[OT_DIFF_MEASURES] = {
        [OT_DIFF_SELF] = operator->self_ns,
        [OT_DIFF_DEVICE] = operator->has_device ? operator->device_self_ns : 0,
        [OT_DIFF_INCLUSIVE] = operator->inclusive_ns,
        [OT_DIFF_ALLOCATED] = operator->has_allocated ? operator->allocated_bytes : 0, };
    for (size_t i = 0; i < OT_DIFF_MEASURES; i++)
        run->n_overflowed += ot_sum_add(&sums[i], more[i]);
    add_calls(&sums[OT_DIFF_CALLS], operator->n_calls, &run->n_overflowed);
}

int ot_diff_gather_rows(struct ot_diff_gather *gather, enum ot_diff_side side,
                        const struct ot_analysis *analysis, struct ot_diff_gathered_run *run,
                        struct ot_err *err)
{
    size_t cap = 0;
    run->has_device = analysis->has_device;
    run->has_memory = analysis->n_memory_events > 0;
    for (size_t i = 0; i < analysis->operators.n_rows; i++) {
        const struct ot_operator_row *operator= & analysis->operators.rows[i];
        size_t row = 0;
        int code = find_row(gather, operator, & row, err);
        if (code == OT_OK)
            code = make_room(run, &cap, gather->n_rows, err);
        if (code == OT_OK)
            code = add_shapes(gather, side, &gather->rows[row], operator, err);
        if (code < 0)
            return code;
        add_amounts(run, row, operator);
    }
    return OT_OK;
}

/* --- aggregates ----------------------------------------------------------------------------------
 */

static int add_reading(struct ot_diff_gather *gather, struct ot_diff_gathered_run *run,
                       const struct ot_aggregate *aggregate, struct ot_err *err)
{
    struct ot_diff_reading *reading = &run->readings[run->n_readings];
    *reading = (struct ot_diff_reading){
        .kind = aggregate->kind,
        .value = aggregate->kind == OT_VALUE_UNAVAILABLE ? 0 : aggregate->value};
    struct ot_str reasons = {0};
    for (size_t i = 0; i < aggregate->n_reasons; i++) {
        ot_str_addf(&reasons, "%s", i ? "; " : "");
        ot_str_add_text(&reasons, aggregate->reasons[i]);
    }
    int code = reasons.failed ? out_of_memory(err) : OT_OK;
    if (code == OT_OK)
        code =
            ot_names_intern(&gather->names, (struct ot_text){ot_str_borrow(&reasons), reasons.len},
                            &reading->reasons, err);
    if (code == OT_OK)
        code = ot_names_intern(&gather->names, aggregate->name, &reading->name, err);
    if (code == OT_OK)
        code = ot_names_intern(&gather->names, aggregate->unit, &reading->unit, err);
    ot_str_release(&reasons);
    run->n_readings += code == OT_OK;
    return code;
}

/* Time that passed, which no sum over the population says. */
static struct ot_aggregate span_of(const struct ot_analysis *analysis, struct ot_text *reason)
{
    struct ot_aggregate span = {.name = ot_text_of("span"), .unit = ot_text_of("ns")};
    bool fits = !__builtin_sub_overflow(analysis->end_ns, analysis->start_ns, &span.value);
    if (analysis->has_times && fits && span.value >= 0)
        return span;
    *reason = ot_text_of("nothing ran, or the sessions have no clock in common");
    span.kind = OT_VALUE_UNAVAILABLE;
    span.reasons = reason;
    span.n_reasons = 1;
    return span;
}

/* Of the host, as host_busy_time is of it. */
static struct ot_aggregate calls_of(const struct ot_analysis *analysis, struct ot_text *reason)
{
    struct ot_aggregate calls = {.name = ot_text_of("calls"), .unit = ot_text_of("calls")};
    uint64_t n_overflowed = 0;
    for (size_t i = 0; i < analysis->operators.n_rows; i++) {
        const struct ot_operator_row *row = &analysis->operators.rows[i];
        if (!ot_text_same(row->kind, ot_text_of("device")))
            add_calls(&calls.value, row->n_calls, &n_overflowed);
    }
    if (n_overflowed == 0)
        return calls;
    *reason = ot_text_of("more calls than 64 bits hold");
    calls.kind = OT_VALUE_LOWER_BOUND;
    calls.reasons = reason;
    calls.n_reasons = 1;
    return calls;
}

/* Ours are as certain as those of the analysis. */
static void take_certainty(struct ot_aggregate *ours, const struct ot_analysis *analysis)
{
    for (size_t i = 0; i < analysis->n_aggregates && ours->kind == OT_VALUE_EXACT; i++) {
        const struct ot_aggregate *theirs = &analysis->aggregates[i];
        if (theirs->kind != OT_VALUE_LOWER_BOUND)
            continue;
        ours->kind = OT_VALUE_LOWER_BOUND;
        ours->reasons = theirs->reasons;
        ours->n_reasons = theirs->n_reasons;
    }
}

int ot_diff_gather_readings(struct ot_diff_gather *gather, const struct ot_analysis *analysis,
                            struct ot_diff_gathered_run *run, struct ot_err *err)
{
    enum { OURS = 2 };
    struct ot_text reasons[OURS];
    struct ot_aggregate ours[OURS] = {span_of(analysis, &reasons[0]),
                                      calls_of(analysis, &reasons[1])};
    int code = OT_OK;
    run->readings = calloc(analysis->n_aggregates + OURS, sizeof(*run->readings));
    if (!run->readings)
        return out_of_memory(err);
    for (size_t i = 0; i < OURS && code == OT_OK; i++) {
        take_certainty(&ours[i], analysis);
        code = add_reading(gather, run, &ours[i], err);
    }
    for (size_t i = 0; i < analysis->n_aggregates && code == OT_OK; i++)
        code = add_reading(gather, run, &analysis->aggregates[i], err);
    return code;
}

void ot_diff_gather_free(struct ot_diff_gather *gather, const size_t n_runs[OT_DIFF_SIDES])
{
    if (!gather)
        return;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < gather->n_rows; i++)
            free(gather->rows[i].shapes[side].ids);
        for (size_t i = 0; i < n_runs[side]; i++) {
            free(gather->runs[side][i].amounts);
            free(gather->runs[side][i].readings);
        }
        for (size_t i = 0; i < OT_DIFF_FACT_KINDS; i++)
            free(gather->traits[side][i].words.ids);
        free(gather->runs[side]);
    }
    free(gather->rows);
    ot_map_release(&gather->map);
    ot_names_release(&gather->names);
    free(gather);
}
