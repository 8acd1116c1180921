/* compare.c: from gathered runs to tables. */
#include <stdlib.h>

#include "base/sum.h"
#include "diff/bootstrap.h"
#include "diff/facts.h"
#include "diff/gather.h"
#include "diff/split.h"

/* What is at work while sides are compared. */
struct comparison {
    struct ot_diff *diff;
    struct ot_diff_gather *gather;
    int64_t *values[OT_DIFF_SIDES]; /* of a side's runs */
    uint32_t *order;
    struct ot_bootstrap bootstrap;
    bool has_bootstrap;
};

static bool has_kind(const struct ot_diff_gather *gather, const struct ot_diff_row *row,
                     const char *kind)
{
    return ot_text_same(ot_names_text(&gather->names, row->kind), ot_text_of(kind));
}

/* All runs of a side have recorded what a measure needs. */
static bool side_knows(const struct ot_diff *diff, int side, enum ot_diff_measure measure)
{
    bool knows = true;
    for (size_t i = 0; i < diff->n_runs[side]; i++) {
        const struct ot_diff_gathered_run *run = &diff->gather->runs[side][i];
        knows &= measure != OT_DIFF_DEVICE || run->has_device;
        knows &= measure != OT_DIFF_ALLOCATED || run->has_memory;
    }
    return knows;
}

/* The measure means something for operators of that kind. */
static bool applies(const struct ot_diff_gather *gather, const struct ot_diff_row *row,
                    enum ot_diff_measure measure)
{
    if (measure == OT_DIFF_DEVICE)
        return has_kind(gather, row, "op");
    return measure != OT_DIFF_ALLOCATED || !has_kind(gather, row, "device");
}

static struct ot_diff_sample sample_of(const struct comparison *comparison, int side)
{
    return (struct ot_diff_sample){comparison->values[side], comparison->diff->n_runs[side]};
}

/* From the values that are in place. */
static void take_medians(struct comparison *comparison, struct ot_diff_change *change)
{
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        if (change->is_known[side])
            change->of[side] = ot_diff_median(sample_of(comparison, side), comparison->order);
    }
    if (ot_diff_is_known(change))
        change->change =
            ot_diff_change_between(change->of[OT_DIFF_BASELINE], change->of[OT_DIFF_CANDIDATE]);
}

static bool values_vary(const struct comparison *comparison)
{
    int64_t first = comparison->values[0][0];
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < comparison->diff->n_runs[side]; i++) {
            if (comparison->values[side][i] != first)
                return true;
        }
    }
    return false;
}

static void take_interval(struct comparison *comparison, struct ot_diff_interval *interval)
{
    const struct ot_diff_sample samples[OT_DIFF_SIDES] = {
        sample_of(comparison, OT_DIFF_BASELINE),
        sample_of(comparison, OT_DIFF_CANDIDATE),
    };
    interval->is_there = comparison->has_bootstrap;
    if (comparison->has_bootstrap && values_vary(comparison))
        ot_bootstrap_interval(&comparison->bootstrap, samples, interval);
}

/* --- operators -----------------------------------------------------------------------------------
 */

static void place_values(struct comparison *comparison, size_t row, enum ot_diff_measure measure)
{
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        for (size_t i = 0; i < comparison->diff->n_runs[side]; i++)
            comparison->values[side][i] =
                ot_diff_amount_of(&comparison->gather->runs[side][i], row, measure);
    }
}

static bool side_has_calls(const struct comparison *comparison, int side, size_t row)
{
    for (size_t i = 0; i < comparison->diff->n_runs[side]; i++) {
        if (ot_diff_amount_of(&comparison->gather->runs[side][i], row, OT_DIFF_CALLS) > 0)
            return true;
    }
    return false;
}

static enum ot_diff_presence presence_of(const struct comparison *comparison, size_t row)
{
    if (!side_has_calls(comparison, OT_DIFF_BASELINE, row))
        return OT_DIFF_NEW;
    return side_has_calls(comparison, OT_DIFF_CANDIDATE, row) ? OT_DIFF_BOTH : OT_DIFF_VANISHED;
}

static void split(struct ot_diff_operator *operator, enum ot_diff_measure measure)
{
    const struct ot_diff_change *calls = &operator->measures[OT_DIFF_CALLS];
    const struct ot_diff_change *value = &operator->measures[measure];
    const struct ot_diff_amount sides[OT_DIFF_SIDES] = {
        {calls->of[OT_DIFF_BASELINE], value->of[OT_DIFF_BASELINE]},
        {calls->of[OT_DIFF_CANDIDATE], value->of[OT_DIFF_CANDIDATE]},
    };
    ot_diff_split(sides[0], sides[1], &operator->calls_part, &operator->value_part);
}

static void fill_row(struct comparison *comparison, size_t row, struct ot_diff_table *table)
{
    const struct ot_diff_gather *gather = comparison->gather;
    struct ot_diff_operator *operator= & table->rows[table->n_rows++];
    *operator=(struct ot_diff_operator){
        .name = ot_names_text(&gather->names, gather->rows[row].name),
        .kind = ot_names_text(&gather->names, gather->rows[row].kind),
        .presence = presence_of(comparison, row),
    };
    for (int i = 0; i < OT_DIFF_MEASURES; i++) {
        enum ot_diff_measure measure = (enum ot_diff_measure)i;
        struct ot_diff_change *change = &operator->measures[i];
        for (int side = 0; side < OT_DIFF_SIDES; side++)
            change->is_known[side] = applies(gather, &gather->rows[row], measure) &&
                                     side_knows(comparison->diff, side, measure);
        place_values(comparison, row, measure);
        take_medians(comparison, change);
    }
    split(operator, table->measure);
    place_values(comparison, row, table->measure);
    take_interval(comparison, &operator->interval);
    if (operator->interval.is_there && values_vary(comparison)) {
        table->n_tested++;
        table->n_evident += ot_diff_is_evident(&operator->interval);
    }
}

static void add_up(struct ot_diff_table *table)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct ot_diff_operator *row = &table->rows[i];
        int64_t change = row->measures[table->measure].change;
        table->change += change;
        table->n_changed += change != 0;
        table->n_new += row->presence == OT_DIFF_NEW;
        table->new_change += row->presence == OT_DIFF_NEW ? change : 0;
        table->n_vanished += row->presence == OT_DIFF_VANISHED;
        table->vanished_change += row->presence == OT_DIFF_VANISHED ? change : 0;
    }
}

/* qsort() hands no context on, so each row says itself what it is sorted by. */
struct sortable {
    ot_diff_size change;
    struct ot_diff_operator row;
};

static int by_change(const void *a, const void *b)
{
    const struct sortable *x = a;
    const struct sortable *y = b;
    if (x->change != y->change)
        return x->change < y->change ? 1 : -1;
    int order = ot_text_compare(x->row.name, y->row.name);
    return order ? order : ot_text_compare(x->row.kind, y->row.kind);
}

static bool sort_rows(struct ot_diff_table *table)
{
    struct sortable *sortable = calloc(table->n_rows + 1, sizeof(*sortable));
    if (!sortable)
        return false;
    for (size_t i = 0; i < table->n_rows; i++)
        sortable[i] = (struct sortable){
            ot_diff_size_of(table->rows[i].measures[table->measure].change), table->rows[i]};
    qsort(sortable, table->n_rows, sizeof(*sortable), by_change);
    for (size_t i = 0; i < table->n_rows; i++)
        table->rows[i] = sortable[i].row;
    free(sortable);
    return true;
}

static bool is_device_table(const struct comparison *comparison, const struct ot_diff_table *table)
{
    return table == &comparison->diff->devices;
}

static int fill_table(struct comparison *comparison, struct ot_diff_table *table,
                      struct ot_err *err)
{
    struct ot_diff_gather *gather = comparison->gather;
    bool wants_devices = is_device_table(comparison, table);
    table->rows =
        ot_arena_alloc(&comparison->diff->arena, (gather->n_rows + 1) * sizeof(*table->rows));
    if (!table->rows)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
    for (size_t i = 0; i < gather->n_rows; i++) {
        if (has_kind(gather, &gather->rows[i], "device") == wants_devices &&
            applies(gather, &gather->rows[i], table->measure))
            fill_row(comparison, i, table);
    }
    add_up(table);
    return sort_rows(table) ? OT_OK
                            : ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
}

static int fill_tables(struct comparison *comparison, struct ot_err *err)
{
    struct ot_diff *diff = comparison->diff;
    bool have_devices = side_knows(diff, OT_DIFF_BASELINE, OT_DIFF_DEVICE) &&
                        side_knows(diff, OT_DIFF_CANDIDATE, OT_DIFF_DEVICE);
    diff->operators.measure = diff->measure;
    diff->devices.measure = diff->measure == OT_DIFF_CALLS ? OT_DIFF_CALLS : OT_DIFF_SELF;
    int code = fill_table(comparison, &diff->operators, err);
    if (code == OT_OK && have_devices && diff->measure != OT_DIFF_ALLOCATED)
        code = fill_table(comparison, &diff->devices, err);
    return code;
}

/* --- aggregates ----------------------------------------------------------------------------------
 */

static const struct ot_diff_reading *find_reading(const struct ot_diff_gathered_run *run,
                                                  uint32_t name)
{
    for (size_t i = 0; i < run->n_readings; i++) {
        if (run->readings[i].name == name)
            return &run->readings[i];
    }
    return NULL;
}

static void take_readings(struct comparison *comparison, int side, uint32_t name,
                          struct ot_diff_aggregate *aggregate)
{
    const struct ot_diff_gather *gather = comparison->gather;
    for (size_t i = 0; i < comparison->diff->n_runs[side]; i++) {
        const struct ot_diff_reading *reading = find_reading(&gather->runs[side][i], name);
        enum ot_value_kind kind = reading ? reading->kind : OT_VALUE_UNAVAILABLE;
        comparison->values[side][i] = reading ? reading->value : 0;
        if (kind > aggregate->kinds[side] || i == 0) {
            aggregate->kinds[side] = kind;
            aggregate->reasons[side] =
                reading ? ot_names_text(&gather->names, reading->reasons) : ot_text_of("");
        }
    }
    aggregate->value.is_known[side] = aggregate->kinds[side] != OT_VALUE_UNAVAILABLE;
}

static int fill_aggregates(struct comparison *comparison, struct ot_err *err)
{
    struct ot_diff *diff = comparison->diff;
    const struct ot_diff_gathered_run *first = &comparison->gather->runs[0][0];
    diff->aggregates =
        ot_arena_alloc(&diff->arena, (first->n_readings + 1) * sizeof(*diff->aggregates));
    if (!diff->aggregates)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
    for (size_t i = 0; i < first->n_readings; i++) {
        const struct ot_diff_reading *reading = &first->readings[i];
        struct ot_diff_aggregate *aggregate = &diff->aggregates[diff->n_aggregates++];
        *aggregate = (struct ot_diff_aggregate){
            .name = ot_names_text(&comparison->gather->names, reading->name),
            .unit = ot_names_text(&comparison->gather->names, reading->unit),
        };
        for (int side = 0; side < OT_DIFF_SIDES; side++)
            take_readings(comparison, side, reading->name, aggregate);
        take_medians(comparison, &aggregate->value);
        if (ot_diff_is_known(&aggregate->value))
            take_interval(comparison, &aggregate->interval);
    }
    return OT_OK;
}

/* --- shapes --------------------------------------------------------------------------------------
 */

static int64_t self_of(struct comparison *comparison, size_t row, int side)
{
    place_values(comparison, row, OT_DIFF_SELF);
    return ot_diff_median(sample_of(comparison, side), comparison->order);
}

static void compare_shapes(struct comparison *comparison)
{
    struct ot_diff_gather *gather = comparison->gather;
    struct ot_diff_shapes *shapes = &comparison->diff->shapes;
    for (size_t i = 0; i < gather->n_rows; i++) {
        const struct ot_diff_row *row = &gather->rows[i];
        const struct ot_diff_ids *ids = row->shapes;
        if (!has_kind(gather, row, "op") || ids[0].n == 0 || ids[1].n == 0)
            continue;
        bool is_same = ot_diff_ids_same(&ids[0], &ids[1]);
        bool has_more = row->has_more_shapes[0] || row->has_more_shapes[1];
        /* One side lists all, and the other one has more than that. */
        bool one_is_longer = row->has_more_shapes[0] != row->has_more_shapes[1];
        bool differs = has_more ? one_is_longer : !is_same;
        shapes->n_common++;
        shapes->n_unknown += has_more && !differs;
        shapes->n_other += differs;
        for (int side = 0; side < OT_DIFF_SIDES && differs; side++)
            ot_sum_add(&shapes->other_ns[side], self_of(comparison, i, side));
    }
}

/* --- all of it -----------------------------------------------------------------------------------
 */

static int check_measure(const struct ot_diff *diff, struct ot_err *err)
{
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        if (!side_knows(diff, side, diff->measure))
            return ot_err_set(err, OT_ERR_INPUT,
                              "the %s cannot be compared: no %s was recorded in the %s",
                              ot_diff_measures[diff->measure].words,
                              diff->measure == OT_DIFF_DEVICE ? "device work" : "memory event",
                              ot_diff_side_names[side]);
    }
    return OT_OK;
}

static int begin(struct comparison *comparison, struct ot_err *err)
{
    const size_t *n = comparison->diff->n_runs;
    size_t most = n[0] > n[1] ? n[0] : n[1];
    bool has_room = true;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        comparison->values[side] = calloc(n[side] + 1, sizeof(*comparison->values[side]));
        has_room &= comparison->values[side] != NULL;
    }
    comparison->order = calloc(most, sizeof(*comparison->order));
    if (!has_room || !comparison->order)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing runs");
    if (n[0] < OT_BOOTSTRAP_MIN_RUNS || n[1] < OT_BOOTSTRAP_MIN_RUNS)
        return OT_OK;
    int code = ot_bootstrap_init(&comparison->bootstrap, n, err);
    if (code < 0)
        return code;
    comparison->has_bootstrap = true;
    comparison->diff->trust = (struct ot_diff_trust){
        .has_intervals = true,
        .n_resamples = OT_BOOTSTRAP_RESAMPLES,
        .chance_thousandths = ot_bootstrap_chance(&comparison->bootstrap),
    };
    return OT_OK;
}

static void end(struct comparison *comparison)
{
    for (int side = 0; side < OT_DIFF_SIDES; side++)
        free(comparison->values[side]);
    free(comparison->order);
    ot_bootstrap_release(&comparison->bootstrap);
}

int ot_diff_finish(struct ot_diff *diff, struct ot_err *err)
{
    struct comparison comparison = {.diff = diff, .gather = diff->gather};
    int code = check_measure(diff, err);
    if (code == OT_OK)
        code = begin(&comparison, err);
    if (code == OT_OK)
        code = fill_tables(&comparison, err);
    if (code == OT_OK)
        code = fill_aggregates(&comparison, err);
    if (code == OT_OK) {
        compare_shapes(&comparison);
        code = ot_diff_find_facts(diff, err);
    }
    end(&comparison);
    return code;
}
