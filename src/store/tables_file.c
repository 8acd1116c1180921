#include "store/tables_file.h"

#include <string.h>

#include "store/quote.h"

/* Parquet: numbers that grow steadily take a fraction of the room in the encodings of version 2,
 * which DuckDB, Arrow and Spark 3.3 read. */
static const struct {
    const char *suffix;
    const char *options;
} formats[] = {
    [OT_TABLES_PARQUET] = {"parquet", "FORMAT parquet, PARQUET_VERSION V2, COMPRESSION zstd"},
    [OT_TABLES_CSV] = {"csv", "FORMAT csv, HEADER"},
    [OT_TABLES_JSONL] = {"jsonl", "FORMAT json"},
};

const char *ot_tables_suffix(enum ot_tables_format format)
{
    return formats[format].suffix;
}

int ot_tables_file_error(struct ot_err *err, int code, const char *path)
{
    const struct ot_err said = *err;
    const char *kind = strstr(said.msg, "Error: ");
    const char *what = kind ? kind + strlen("Error: ") : said.msg;
    const char *file = strstr(what, path);
    if (!file || file - what < 2 || !strchr("'\"", file[-1]))
        return ot_err_set(err, code, "%s: %s", path, what);
    /* It is in quotes; what the system says comes behind it, and is enough. */
    const char *rest = file + strlen(path);
    rest += *rest != '\0'; /* a message that is too long is cut */
    if (strncmp(rest, ": ", 2) == 0)
        return ot_err_set(err, code, "%s: %s", path, rest + 2);
    return ot_err_set(err, code, "%s: %.*s%s", path, (int)(file - what - 2), what, rest);
}

static int copy_out(struct ot_db *db, const char *path, enum ot_tables_format format,
                    const struct ot_table *table, struct ot_err *err)
{
    struct ot_str sql = {0};
    ot_str_addf(&sql, "COPY %s TO ", table->name);
    ot_quote(&sql, path);
    ot_str_addf(&sql, " (%s); DROP TABLE %s", formats[format].options, table->name);
    int code = sql.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables")
                          : ot_db_run(db, ot_str_borrow(&sql), err);
    ot_str_release(&sql);
    return code < 0 ? ot_tables_file_error(err, code, path) : code;
}

int ot_tables_write_file(struct ot_db *db, const char *path, enum ot_tables_format format,
                         const struct ot_table *table, const void *structs, size_t n,
                         struct ot_err *err)
{
    int code = ot_table_load(db, table, structs, n, err);
    return code == OT_OK ? copy_out(db, path, format, table, err) : code;
}
