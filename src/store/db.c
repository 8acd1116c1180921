#include "store/db.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "store/quote.h"

/* What DuckDB may hold; an analysis of a thousand operators takes some 10 MB. */
#define MEMORY_LIMIT "4GB"

static const struct {
    const char *name;
    const char *value;
} settings[] = {
    {"threads", "1"},
    {"memory_limit", MEMORY_LIMIT},
    {"temp_directory", ""}, /* else it writes into the current folder when memory is short */
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
};

#define REACH_NO_FILE "SET enable_external_access = false"

int ot_db_error(struct ot_err *err, const char *what, const char *duckdb_says)
{
    const char *says = duckdb_says ? duckdb_says : "unknown error";
    int code = strstr(says, "Out of Memory") ? OT_ERR_NOMEM : OT_ERR_IO;
    /* Below the first line it quotes the query. */
    return ot_err_set(err, code, "DuckDB cannot %s: %.*s", what, (int)strcspn(says, "\n"), says);
}

static int configure(duckdb_config config, struct ot_err *err)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (duckdb_set_config(config, settings[i].name, settings[i].value) != DuckDBSuccess)
            return ot_db_error(err, "be configured", settings[i].name);
    }
    return OT_OK;
}

static int open_database(struct ot_db *db, duckdb_config config, struct ot_err *err)
{
    int code = configure(config, err);
    if (code < 0)
        return code;
    char *says = NULL;
    if (duckdb_open_ext(":memory:", &db->database, config, &says) != DuckDBSuccess) {
        code = ot_db_error(err, "be opened", says);
        duckdb_free(says);
        return code;
    }
    if (duckdb_connect(db->database, &db->connection) != DuckDBSuccess)
        return ot_db_error(err, "be opened", NULL);
    return OT_OK;
}

int ot_db_open_unlocked(struct ot_db *db, struct ot_err *err)
{
    duckdb_config config;
    if (duckdb_create_config(&config) != DuckDBSuccess)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for DuckDB");
    int code = open_database(db, config, err);
    duckdb_destroy_config(&config);
    return code;
}

int ot_db_open(struct ot_db *db, struct ot_err *err)
{
    int code = ot_db_open_unlocked(db, err);
    return code == OT_OK ? ot_db_run(db, REACH_NO_FILE, err) : code;
}

int ot_db_open_files(struct ot_db *db, const struct ot_db_opts *opts, struct ot_err *err)
{
    struct ot_str sql = {0};
    ot_str_addf(&sql, "SET threads = %u; SET allowed_directories = [", opts->n_threads);
    for (size_t i = 0; i < opts->n_folders; i++) {
        ot_str_addf(&sql, i ? ", " : "");
        ot_quote(&sql, opts->folders[i]);
        /* As read_parquet() is told: it asks for leave before it looks what the pattern means. */
        ot_str_addf(&sql, ", ");
        ot_quote_path(&sql, opts->folders[i]);
    }
    ot_str_addf(&sql, "]; " REACH_NO_FILE);
    int code = ot_db_open_unlocked(db, err);
    if (code == OT_OK)
        code = sql.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for DuckDB")
                          : ot_db_run(db, ot_str_borrow(&sql), err);
    ot_str_release(&sql);
    return code;
}

void ot_db_close(struct ot_db *db)
{
    if (db->connection)
        duckdb_disconnect(&db->connection);
    if (db->database)
        duckdb_close(&db->database);
    *db = (struct ot_db){0};
}

int ot_db_query(struct ot_db *db, const char *sql, struct ot_rows *ret_rows, struct ot_err *err)
{
    struct ot_rows rows = {0};
    if (duckdb_query(db->connection, sql, &rows.result) != DuckDBSuccess) {
        int code = ot_db_error(err, "run a query", duckdb_result_error(&rows.result));
        duckdb_destroy_result(&rows.result);
        return code;
    }
    rows.n_columns = duckdb_column_count(&rows.result);
    *ret_rows = rows;
    return OT_OK;
}

int ot_db_run(struct ot_db *db, const char *sql, struct ot_err *err)
{
    struct ot_rows rows;
    int code = ot_db_query(db, sql, &rows, err);
    if (code == OT_OK)
        ot_rows_release(&rows);
    return code;
}

bool ot_rows_next(struct ot_rows *rows)
{
    rows->row++;
    while (rows->row >= rows->n_rows) {
        duckdb_destroy_data_chunk(&rows->chunk);
        rows->chunk = duckdb_fetch_chunk(rows->result);
        if (!rows->chunk)
            return false;
        rows->row = 0;
        rows->n_rows = duckdb_data_chunk_get_size(rows->chunk);
    }
    return true;
}

bool ot_rows_is_null(const struct ot_rows *rows, unsigned column)
{
    duckdb_vector vector = duckdb_data_chunk_get_vector(rows->chunk, column);
    uint64_t *validity = duckdb_vector_get_validity(vector);
    return validity && !duckdb_validity_row_is_valid(validity, rows->row);
}

static const void *cell(const struct ot_rows *rows, unsigned column, size_t size_bytes)
{
    duckdb_vector vector = duckdb_data_chunk_get_vector(rows->chunk, column);
    return (const char *)duckdb_vector_get_data(vector) + rows->row * size_bytes;
}

static const struct integer {
    duckdb_type type;
    unsigned size_bytes;
    bool is_signed;
} integers[] = {
    {DUCKDB_TYPE_HUGEINT, 16, true}, {DUCKDB_TYPE_BIGINT, 8, true},
    {DUCKDB_TYPE_UBIGINT, 8, false}, {DUCKDB_TYPE_UINTEGER, 4, false},
    {DUCKDB_TYPE_INTEGER, 4, true},
};

static const struct integer *integer_of(duckdb_type type)
{
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        if (integers[i].type == type)
            return &integers[i];
    }
    return NULL;
}

int64_t ot_rows_int(struct ot_rows *rows, unsigned column)
{
    const struct integer *integer = integer_of(duckdb_column_type(&rows->result, column));
    assert(integer);
    if (ot_rows_is_null(rows, column))
        return 0;
    unsigned __int128 raw = 0;
    memcpy(&raw, cell(rows, column, integer->size_bytes), integer->size_bytes);
    unsigned spare_bits = 128 - 8 * integer->size_bytes;
    __int128 value =
        integer->is_signed ? (__int128)(raw << spare_bits) >> spare_bits : (__int128)raw;
    if (value >= INT64_MIN && value <= INT64_MAX)
        return (int64_t)value;
    rows->n_overflowed++;
    return value < 0 ? INT64_MIN : INT64_MAX;
}

bool ot_rows_bool(const struct ot_rows *rows, unsigned column)
{
    assert(duckdb_column_type((duckdb_result *)&rows->result, column) == DUCKDB_TYPE_BOOLEAN);
    return !ot_rows_is_null(rows, column) && *(const bool *)cell(rows, column, sizeof(bool));
}

struct ot_text ot_rows_text(const struct ot_rows *rows, unsigned column)
{
    if (ot_rows_is_null(rows, column))
        return (struct ot_text){.bytes = ""};
    /* Short strings lie in the cell itself. */
    duckdb_string_t *string = (duckdb_string_t *)cell(rows, column, sizeof(*string));
    return (struct ot_text){duckdb_string_t_data(string), duckdb_string_t_length(*string)};
}

void ot_rows_release(struct ot_rows *rows)
{
    duckdb_destroy_data_chunk(&rows->chunk);
    duckdb_destroy_result(&rows->result);
    *rows = (struct ot_rows){0};
}
