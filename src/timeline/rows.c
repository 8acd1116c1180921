#include "timeline/rows.h"

#include <stdlib.h>

#include "base/vec.h"
#include "slice/ns.h"
#include "timeline/timeline.h"

/* A slice that is open where the walk has got. */
struct level {
    int64_t end_ns;
    uint64_t exit; /* paired */
    bool is_unfinished;
};

struct ot_row {
    uint64_t uuid;
    struct level *stack;
    size_t depth;
    size_t cap;
};

static void write_end(const struct ot_rows *rows, const struct ot_row *row,
                      const struct level *level)
{
    if (!level->is_unfinished)
        ot_pftrace_put_end(rows->describe->trace, row->uuid, level->end_ns + rows->offset_ns);
}

static bool has_ended(const struct level *level, const struct ot_timeline_record *record)
{
    if (record->flags & OT_RECORD_PAIRED)
        return level->exit < record->order;
    return level->end_ns <= record->ts_ns;
}

static void close_until(const struct ot_rows *rows, struct ot_row *row,
                        const struct ot_timeline_record *record)
{
    while (row->depth && has_ended(&row->stack[row->depth - 1], record))
        write_end(rows, row, &row->stack[--row->depth]);
}

void ot_rows_end(struct ot_rows *rows)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct ot_row *row = &rows->rows[i];
        while (row->depth)
            write_end(rows, row, &row->stack[--row->depth]);
    }
    rows->n_rows = 0;
}

static bool fits(const struct ot_rows *rows, const struct ot_row *row,
                 const struct ot_timeline_record *record)
{
    if (row->depth == 0)
        return true;
    if (!rows->nests || row->depth >= OT_TIMELINE_DEPTH_MAX)
        return false;
    const struct level *top = &row->stack[row->depth - 1];
    if (record->flags & OT_RECORD_PAIRED)
        return record->exit <= top->exit;
    return ot_ns_add(record->ts_ns, record->dur_ns) <= top->end_ns;
}

static int add_row(struct ot_rows *rows, struct ot_err *err)
{
    if (rows->n_rows == rows->n_all_rows) {
        if (!ot_vec_reserve(&rows->rows, &rows->cap, rows->n_all_rows + 1, sizeof(*rows->rows)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tracks");
        rows->rows[rows->n_all_rows++] = (struct ot_row){0};
    }
    struct ot_row *row = &rows->rows[rows->n_rows];
    row->uuid = ot_describe_row(rows->describe, rows->lane, rows->n_rows);
    row->depth = 0;
    rows->n_rows++;
    return OT_OK;
}

int ot_rows_begin(struct ot_rows *rows, uint32_t lane, bool nests, int64_t offset_ns,
                  struct ot_err *err)
{
    ot_rows_end(rows);
    rows->lane = lane;
    rows->nests = nests;
    rows->offset_ns = offset_ns;
    return add_row(rows, err);
}

static int push(struct ot_row *row, const struct ot_timeline_record *record, struct ot_err *err)
{
    if (!ot_vec_reserve(&row->stack, &row->cap, row->depth + 1, sizeof(*row->stack)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
    bool is_unfinished = record->flags & OT_RECORD_UNFINISHED;
    row->stack[row->depth++] = (struct level){
        .end_ns = is_unfinished ? INT64_MAX : ot_ns_add(record->ts_ns, record->dur_ns),
        .exit = record->exit,
        .is_unfinished = is_unfinished,
    };
    return OT_OK;
}

int ot_rows_put(struct ot_rows *rows, const struct ot_timeline_record *record, size_t *ret_row,
                uint64_t *ret_uuid, struct ot_err *err)
{
    for (size_t i = 0; i < OT_TIMELINE_ROWS_MAX; i++) {
        int code = i == rows->n_rows ? add_row(rows, err) : OT_OK;
        if (code < 0)
            return code;
        struct ot_row *row = &rows->rows[i];
        close_until(rows, row, record);
        if (!fits(rows, row, record))
            continue;
        *ret_row = i;
        *ret_uuid = row->uuid;
        return push(row, record, err);
    }
    return OT_END;
}

uint64_t ot_rows_first(struct ot_rows *rows, const struct ot_timeline_record *record)
{
    close_until(rows, &rows->rows[0], record);
    return rows->rows[0].uuid;
}

void ot_rows_release(struct ot_rows *rows)
{
    for (size_t i = 0; i < rows->n_all_rows; i++)
        free(rows->rows[i].stack);
    free(rows->rows);
    *rows = (struct ot_rows){0};
}
