#include "store/take.h"

static int take_operator(struct ot_take *take, struct ot_rows *rows, struct ot_operator_row *row)
{
    const struct ot_analysis *analysis = take->analysis;
    *row = (struct ot_operator_row){
        .session = (uint32_t)ot_rows_int(rows, 0),
        .n_calls = (uint64_t)ot_rows_int(rows, 4),
        .self_ns = ot_rows_int(rows, 5),
        .inclusive_ns = ot_rows_int(rows, 6),
        .min_ns = ot_rows_int(rows, 7),
        .max_ns = ot_rows_int(rows, 8),
        .device_self_ns = ot_rows_int(rows, 9),
        .device_inclusive_ns = ot_rows_int(rows, 10),
        .has_allocated = analysis->n_memory_events > 0,
        .allocated_bytes = ot_rows_int(rows, 11),
        .synchronizes = ot_rows_bool(rows, 12),
        .compiles = ot_rows_bool(rows, 13),
        .warms_up = ot_rows_bool(rows, 14),
    };
    int code = ot_take_text(take, ot_rows_text(rows, 1), &row->name);
    if (code == OT_OK)
        code = ot_take_text(take, ot_rows_text(rows, 2), &row->kind);
    if (code == OT_OK)
        code = ot_take_text(take, ot_rows_text(rows, 3), &row->category);
    row->has_device = analysis->has_device && ot_text_same(row->kind, ot_text_of("op"));
    return code;
}

static int take_table(struct ot_take *take, struct ot_rows *rows, struct ot_analysis_table *table)
{
    while (ot_rows_next(rows)) {
        int code = ot_take_room(take, &table->rows, table->n_rows, sizeof(*table->rows));
        if (code == OT_OK)
            code = take_operator(take, rows, &table->rows[table->n_rows]);
        if (code < 0)
            return code;
        table->n_rows++;
    }
    return OT_OK;
}

int ot_take_operators(struct ot_take *take, struct ot_rows *rows)
{
    return take_table(take, rows, &take->analysis->operators);
}

int ot_take_repeated_total(struct ot_take *take, struct ot_rows *rows)
{
    if (ot_rows_next(rows))
        take->analysis->repeated.n_total = (uint64_t)ot_rows_int(rows, 0);
    return OT_OK;
}

int ot_take_repeated(struct ot_take *take, struct ot_rows *rows)
{
    return take_table(take, rows, &take->analysis->repeated);
}

/* A place counts the operators from 1 in the order of the rows that were taken. */
int ot_take_shapes(struct ot_take *take, struct ot_rows *rows)
{
    struct ot_analysis_table *table = &take->analysis->operators;
    while (ot_rows_next(rows)) {
        uint64_t place = (uint64_t)ot_rows_int(rows, 0);
        if (place < 1 || place > table->n_rows)
            continue;
        struct ot_operator_row *row = &table->rows[place - 1];
        row->n_shapes = (uint64_t)ot_rows_int(rows, 1);
        int code = ot_take_room(take, &row->shapes, row->n_shapes_returned, sizeof(*row->shapes));
        if (code < 0)
            return code;
        struct ot_shapes_row *shapes = &row->shapes[row->n_shapes_returned];
        shapes->n_calls = (uint64_t)ot_rows_int(rows, 3);
        code = ot_take_text(take, ot_rows_text(rows, 2), &shapes->shapes);
        if (code < 0)
            return code;
        row->n_shapes_returned++;
    }
    return OT_OK;
}
