#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/quote.h"
#include "store/tables.h"
#include "store/tables_file.h"

/* A hash of each row takes all of its columns, so that every page is unpacked. */
static int count_rows(struct ot_db *db, const char *path, uint64_t *ret_n_rows, struct ot_err *err)
{
    struct ot_str sql = {0};
    ot_str_addf(&sql, "SELECT count(*), (bit_xor(hash(t)) IS NULL) FROM read_parquet(");
    ot_quote_path(&sql, path);
    ot_str_addf(&sql, ", hive_partitioning = false) t");
    struct ot_rows rows;
    int code = sql.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables")
                          : ot_db_query(db, ot_str_borrow(&sql), &rows, err);
    ot_str_release(&sql);
    if (code < 0)
        return code;
    if (ot_rows_next(&rows))
        *ret_n_rows = (uint64_t)ot_rows_int(&rows, 0);
    ot_rows_release(&rows);
    return OT_OK;
}

int ot_tables_check(const char *file, uint64_t *ret_n_rows, struct ot_err *err)
{
    char path[PATH_MAX];
    char folder[PATH_MAX];
    if (!realpath(file, path))
        return ot_err_sys(err, OT_ERR_INPUT, "%s", file);
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    const char *folders = folder[0] ? folder : "/";
    const struct ot_db_opts opts = {.folders = &folders, .n_folders = 1, .n_threads = 1};
    struct ot_db db = {0};
    int code = ot_db_open_files(&db, &opts, err);
    if (code == OT_OK) {
        code = count_rows(&db, path, ret_n_rows, err);
        if (code < 0)
            code = ot_tables_file_error(err, code == OT_ERR_IO ? OT_ERR_INPUT : code, path);
    }
    ot_db_close(&db);
    return code;
}
