#include <stdio.h>
#include <string.h>

#include "store/sql_write.h"

static bool is_taken(const struct ot_sql_columns *columns, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(columns->names[i], name) == 0)
            return true;
    }
    return false;
}

/* `name`, or the first of name_1, name_2, ... that is free. */
static const char *free_name(struct ot_sql_columns *columns, size_t n, const char *name)
{
    struct ot_str other = {0};
    ot_str_addf(&other, "%s", name);
    for (unsigned number = 1; is_taken(columns, n, ot_str_borrow(&other)); number++) {
        ot_str_clear(&other);
        ot_str_addf(&other, "%s_%u", name, number);
    }
    char *kept =
        other.failed ? NULL : ot_arena_copy(&columns->arena, ot_str_borrow(&other), other.len);
    ot_str_release(&other);
    return kept;
}

static int read_column(struct ot_sql_columns *columns, duckdb_result *result, size_t i,
                       struct ot_err *err)
{
    duckdb_logical_type logical = duckdb_column_logical_type(result, i);
    int code = ot_sql_type_read(&columns->arena, logical, &columns->types[i], err);
    duckdb_destroy_logical_type(&logical);
    if (code < 0)
        return code;
    columns->names[i] = free_name(columns, i, duckdb_column_name(result, i));
    return columns->names[i] ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
}

int ot_sql_columns_read(struct ot_sql_columns *columns, duckdb_result *result, struct ot_err *err)
{
    size_t n = duckdb_column_count(result);
    columns->names = ot_arena_alloc(&columns->arena, (n + 1) * sizeof(*columns->names));
    columns->types = ot_arena_alloc(&columns->arena, (n + 1) * sizeof(*columns->types));
    if (!columns->names || !columns->types)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
    for (size_t i = 0; i < n; i++) {
        int code = read_column(columns, result, i, err);
        if (code < 0)
            return code;
    }
    columns->n = n;
    return OT_OK;
}

void ot_sql_columns_release(struct ot_sql_columns *columns)
{
    ot_arena_release(&columns->arena);
    *columns = (struct ot_sql_columns){0};
}
