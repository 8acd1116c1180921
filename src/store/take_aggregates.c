#include "stats/completeness.h"
#include "store/take.h"

/* What an aggregate needs (aggregates.sql), and why it is unavailable without. */
static const struct need {
    const char *name;
    const char *reason;
} needs[] = {
    {"device", "no device work was recorded"},
    {"memory", "no memory events were recorded"},
};

static bool is_there(const struct ot_analysis *analysis, const struct need *need)
{
    return need == &needs[0] ? analysis->has_device : analysis->n_memory_events > 0;
}

static const struct need *need_of(struct ot_text name)
{
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (ot_text_same(name, ot_text_of(needs[i].name)))
            return &needs[i];
    }
    return NULL;
}

static int add_reason(struct ot_take *take, struct ot_aggregate *aggregate, struct ot_text reason)
{
    int code =
        ot_take_room(take, &aggregate->reasons, aggregate->n_reasons, sizeof(*aggregate->reasons));
    if (code == OT_OK)
        code = ot_take_text(take, reason, &aggregate->reasons[aggregate->n_reasons]);
    if (code == OT_OK)
        aggregate->n_reasons++;
    return code;
}

static int take_aggregate(struct ot_take *take, struct ot_rows *rows,
                          struct ot_aggregate *aggregate)
{
    const struct need *need = need_of(ot_rows_text(rows, 2));
    int code = ot_take_text(take, ot_rows_text(rows, 0), &aggregate->name);
    if (code == OT_OK)
        code = ot_take_text(take, ot_rows_text(rows, 1), &aggregate->unit);
    if (code < 0)
        return code;
    aggregate->is_of_memory = need == &needs[1];
    if (need && !is_there(take->analysis, need)) {
        aggregate->kind = OT_VALUE_UNAVAILABLE;
        return add_reason(take, aggregate, ot_text_of(need->reason));
    }
    aggregate->value = ot_rows_int(rows, 3);
    return OT_OK;
}

int ot_take_aggregates(struct ot_take *take, struct ot_rows *rows)
{
    struct ot_analysis *analysis = take->analysis;
    while (ot_rows_next(rows)) {
        int code = ot_take_room(take, &analysis->aggregates, analysis->n_aggregates,
                                sizeof(*analysis->aggregates));
        if (code < 0)
            return code;
        struct ot_aggregate *aggregate = &analysis->aggregates[analysis->n_aggregates];
        *aggregate = (struct ot_aggregate){0};
        code = take_aggregate(take, rows, aggregate);
        if (code < 0)
            return code;
        analysis->n_aggregates++;
    }
    analysis->counts.overflowed_sums += rows->n_overflowed;
    return OT_OK;
}

static struct ot_aggregate *find(struct ot_analysis *analysis, struct ot_text name)
{
    for (size_t i = 0; i < analysis->n_aggregates; i++) {
        if (ot_text_same(analysis->aggregates[i].name, name))
            return &analysis->aggregates[i];
    }
    return NULL;
}

static int take_part(struct ot_take *take, struct ot_rows *rows, struct ot_aggregate *aggregate)
{
    int code = ot_take_room(take, &aggregate->parts, aggregate->n_parts, sizeof(*aggregate->parts));
    if (code == OT_OK)
        code = ot_take_text(take, ot_rows_text(rows, 1), &aggregate->parts_name);
    if (code < 0)
        return code;
    struct ot_aggregate_part *part = &aggregate->parts[aggregate->n_parts];
    *part = (struct ot_aggregate_part){
        .session = (uint32_t)ot_rows_int(rows, 2),
        .has_device_type = !ot_rows_is_null(rows, 4),
        .device_type = ot_rows_int(rows, 4),
        .device_id = ot_rows_int(rows, 5),
        .n_events = (uint64_t)ot_rows_int(rows, 6),
        .value = ot_rows_int(rows, 7),
    };
    code = ot_take_text(take, ot_rows_text(rows, 3), &part->label);
    if (code == OT_OK)
        aggregate->n_parts++;
    return code;
}

int ot_take_parts(struct ot_take *take, struct ot_rows *rows)
{
    while (ot_rows_next(rows)) {
        struct ot_aggregate *aggregate = find(take->analysis, ot_rows_text(rows, 0));
        if (!aggregate || aggregate->kind == OT_VALUE_UNAVAILABLE)
            continue;
        int code = take_part(take, rows, aggregate);
        if (code < 0)
            return code;
    }
    return OT_OK;
}

static int explain(struct ot_take *take, struct ot_aggregate *aggregate)
{
    int code = OT_OK;
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS && code == OT_OK; i++) {
        struct ot_str reason = {0};
        if (ot_completeness_reason(&take->analysis->counts, i, &reason))
            code = add_reason(take, aggregate, (struct ot_text){reason.bytes, reason.len});
        ot_str_release(&reason);
    }
    return code;
}

int ot_take_certainty(struct ot_take *take)
{
    struct ot_analysis *analysis = take->analysis;
    bool is_exact = ot_completeness_exact(&analysis->counts);
    for (size_t i = 0; i < analysis->n_aggregates && !is_exact; i++) {
        struct ot_aggregate *aggregate = &analysis->aggregates[i];
        if (aggregate->kind == OT_VALUE_UNAVAILABLE)
            continue;
        aggregate->kind = OT_VALUE_LOWER_BOUND;
        int code = explain(take, aggregate);
        if (code < 0)
            return code;
    }
    return OT_OK;
}
