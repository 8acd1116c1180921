#include "store/columns.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

/* A chunk being filled. */
struct fill {
    const struct ot_column *column;
    const char *first; /* struct of the chunk's first row */
    size_t stride_bytes;
    size_t index; /* of that struct */
    size_t n;
    duckdb_vector vector;
};

static void fill_index(const struct fill *fill)
{
    uint32_t *cells = duckdb_vector_get_data(fill->vector);
    for (size_t i = 0; i < fill->n; i++)
        cells[i] = (uint32_t)(fill->index + i);
}

static const char *field(const struct fill *fill, size_t i)
{
    return fill->first + i * fill->stride_bytes + fill->column->offset;
}

static void fill_bool(const struct fill *fill)
{
    bool *cells = duckdb_vector_get_data(fill->vector);
    for (size_t i = 0; i < fill->n; i++)
        cells[i] = *(const bool *)field(fill, i);
}

static void fill_32(const struct fill *fill)
{
    uint32_t *cells = duckdb_vector_get_data(fill->vector);
    for (size_t i = 0; i < fill->n; i++)
        memcpy(&cells[i], field(fill, i), sizeof(cells[i]));
}

static void fill_64(const struct fill *fill)
{
    uint64_t *cells = duckdb_vector_get_data(fill->vector);
    for (size_t i = 0; i < fill->n; i++)
        memcpy(&cells[i], field(fill, i), sizeof(cells[i]));
}

static void fill_count(const struct fill *fill)
{
    int64_t *cells = duckdb_vector_get_data(fill->vector);
    for (size_t i = 0; i < fill->n; i++) {
        uint64_t count = *(const uint64_t *)(const void *)field(fill, i);
        cells[i] = count > INT64_MAX ? INT64_MAX : (int64_t)count;
    }
}

static struct ot_text text_of(const struct fill *fill, size_t i)
{
    return *(const struct ot_text *)(const void *)field(fill, i);
}

static void fill_bytes(const struct fill *fill)
{
    for (size_t i = 0; i < fill->n; i++) {
        struct ot_text text = text_of(fill, i);
        duckdb_vector_assign_string_element_len(fill->vector, i, text.len ? text.bytes : "",
                                                text.len);
    }
}

static void fill_string(const struct fill *fill)
{
    for (size_t i = 0; i < fill->n; i++)
        duckdb_vector_assign_string_element(fill->vector, i,
                                            *(const char *const *)(const void *)field(fill, i));
}

static void fill_rule(const struct fill *fill)
{
    bool *cells = duckdb_vector_get_data(fill->vector);
    for (size_t i = 0; i < fill->n; i++)
        cells[i] = fill->column->rule(text_of(fill, i));
}

static bool has_value(const struct fill *fill, size_t i)
{
    return *(const bool *)(fill->first + i * fill->stride_bytes + fill->column->has_plus_1 - 1);
}

static void fill_nulls(const struct fill *fill)
{
    duckdb_vector_ensure_validity_writable(fill->vector);
    uint64_t *validity = duckdb_vector_get_validity(fill->vector);
    for (size_t i = 0; i < fill->n; i++) {
        if (!has_value(fill, i))
            duckdb_validity_set_row_invalid(validity, i);
    }
}

/* --- the other way ------------------------------------------------------------------------------
 */

static void take_bool(const void *cell, void *field)
{
    *(bool *)field = *(const bool *)cell;
}

static void take_32(const void *cell, void *field)
{
    memcpy(field, cell, 4);
}

static void take_64(const void *cell, void *field)
{
    memcpy(field, cell, 8);
}

static void take_text(const void *cell, void *field)
{
    /* Short strings lie in the cell itself. */
    duckdb_string_t *string = (duckdb_string_t *)cell;
    *(struct ot_text *)field =
        (struct ot_text){duckdb_string_t_data(string), duckdb_string_t_length(*string)};
}

/* --- types --------------------------------------------------------------------------------------
 */

static const struct {
    const char *sql;
    duckdb_type type;
    void (*fill)(const struct fill *fill);
    size_t cell_bytes; /* of what is taken, too */
    void (*take)(const void *cell, void *field);
} types[OT_COLUMN_TYPES] = {
    [OT_COLUMN_INDEX] = {"UINTEGER", DUCKDB_TYPE_UINTEGER, fill_index, 0, NULL},
    [OT_COLUMN_BOOL] = {"BOOLEAN", DUCKDB_TYPE_BOOLEAN, fill_bool, sizeof(bool), take_bool},
    [OT_COLUMN_INT32] = {"INTEGER", DUCKDB_TYPE_INTEGER, fill_32, 4, take_32},
    [OT_COLUMN_UINT32] = {"UINTEGER", DUCKDB_TYPE_UINTEGER, fill_32, 4, take_32},
    [OT_COLUMN_INT64] = {"BIGINT", DUCKDB_TYPE_BIGINT, fill_64, 8, take_64},
    [OT_COLUMN_UINT64] = {"UBIGINT", DUCKDB_TYPE_UBIGINT, fill_64, 8, take_64},
    [OT_COLUMN_COUNT] = {"BIGINT", DUCKDB_TYPE_BIGINT, fill_count, 8, take_64},
    [OT_COLUMN_BYTES] = {"BLOB", DUCKDB_TYPE_BLOB, fill_bytes, sizeof(duckdb_string_t), take_text},
    [OT_COLUMN_TEXT] = {"VARCHAR", DUCKDB_TYPE_VARCHAR, fill_bytes, sizeof(duckdb_string_t),
                        take_text},
    [OT_COLUMN_STRING] = {"VARCHAR", DUCKDB_TYPE_VARCHAR, fill_string, 0, NULL},
    [OT_COLUMN_RULE] = {"BOOLEAN", DUCKDB_TYPE_BOOLEAN, fill_rule, 0, NULL},
};

const char *ot_column_sql(enum ot_column_type type)
{
    return types[type].sql;
}

static int create(struct ot_db *db, const struct ot_table *table, struct ot_err *err)
{
    struct ot_str sql = {0};
    ot_str_addf(&sql, "CREATE TABLE %s (", table->name);
    for (size_t i = 0; i < table->n_columns; i++)
        ot_str_addf(&sql, "%s%s %s%s", i ? ", " : "", table->columns[i].name,
                    types[table->columns[i].type].sql,
                    table->columns[i].has_plus_1 ? "" : " NOT NULL");
    ot_str_addf(&sql, ")");
    int code = sql.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for DuckDB")
                          : ot_db_run(db, ot_str_borrow(&sql), err);
    ot_str_release(&sql);
    return code;
}

enum { MAX_COLUMNS = 64 };

static duckdb_data_chunk new_chunk(const struct ot_table *table)
{
    duckdb_logical_type columns[MAX_COLUMNS];
    assert(table->n_columns <= MAX_COLUMNS);
    for (size_t i = 0; i < table->n_columns; i++)
        columns[i] = duckdb_create_logical_type(types[table->columns[i].type].type);
    duckdb_data_chunk chunk = duckdb_create_data_chunk(columns, table->n_columns);
    for (size_t i = 0; i < table->n_columns; i++)
        duckdb_destroy_logical_type(&columns[i]);
    return chunk;
}

static bool append(duckdb_appender appender, duckdb_data_chunk chunk, const struct ot_table *table,
                   const void *structs, size_t n)
{
    size_t step = duckdb_vector_size();
    for (size_t at = 0; at < n; at += step) {
        struct fill fill = {
            .first = (const char *)structs + at * table->stride_bytes,
            .stride_bytes = table->stride_bytes,
            .index = at,
            .n = n - at < step ? n - at : step,
        };
        duckdb_data_chunk_reset(chunk);
        for (size_t i = 0; i < table->n_columns; i++) {
            fill.column = &table->columns[i];
            fill.vector = duckdb_data_chunk_get_vector(chunk, i);
            types[fill.column->type].fill(&fill);
            if (fill.column->has_plus_1)
                fill_nulls(&fill);
        }
        duckdb_data_chunk_set_size(chunk, fill.n);
        if (duckdb_append_data_chunk(appender, chunk) != DuckDBSuccess)
            return false;
    }
    return duckdb_appender_close(appender) == DuckDBSuccess;
}

int ot_table_load(struct ot_db *db, const struct ot_table *table, const void *structs, size_t n,
                  struct ot_err *err)
{
    int code = create(db, table, err);
    if (code < 0)
        return code;
    duckdb_appender appender = NULL;
    duckdb_data_chunk chunk = new_chunk(table);
    if (!chunk ||
        duckdb_appender_create(db->connection, NULL, table->name, &appender) != DuckDBSuccess ||
        !append(appender, chunk, table, structs, n))
        code =
            ot_db_error(err, "take in a table", appender ? duckdb_appender_error(appender) : NULL);
    duckdb_destroy_data_chunk(&chunk);
    duckdb_appender_destroy(&appender);
    return code;
}

bool ot_table_matches(const struct ot_rows *rows, const struct ot_table *table)
{
    bool matches = rows->n_columns >= table->n_columns;
    for (size_t i = 0; i < table->n_columns && matches; i++)
        matches = duckdb_column_type((duckdb_result *)&rows->result, i) ==
                  types[table->columns[i].type].type;
    return matches;
}

bool ot_table_take(const struct ot_rows *rows, const struct ot_table *table, void *ret_struct)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct ot_column *column = &table->columns[i];
        bool is_null = ot_rows_is_null(rows, (unsigned)i);
        if (column->has_plus_1)
            *((bool *)ret_struct + column->has_plus_1 - 1) = !is_null;
        else if (is_null)
            return false;
        if (is_null)
            continue;
        duckdb_vector vector = duckdb_data_chunk_get_vector(rows->chunk, i);
        const char *cells = duckdb_vector_get_data(vector);
        types[column->type].take(cells + rows->row * types[column->type].cell_bytes,
                                 (char *)ret_struct + column->offset);
    }
    return true;
}
