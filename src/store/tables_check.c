#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/quote.h"
#include "store/tables.h"
#include "store/tables_file.h"

struct ot_tables_checker {
    char folder[PATH_MAX];
    struct ot_db db; /* closed until it is needed */
};

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

int ot_tables_checker_open(const char *folder, struct ot_tables_checker **ret_checker,
                           struct ot_err *err)
{
    struct ot_tables_checker *checker = calloc(1, sizeof(*checker));
    if (!checker)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    if (!realpath(folder, checker->folder)) {
        free(checker);
        return ot_err_sys(err, OT_ERR_IO, "%s", folder);
    }
    *ret_checker = checker;
    return OT_OK;
}

static int open_database(struct ot_tables_checker *checker, struct ot_err *err)
{
    const char *folder = checker->folder;
    const struct ot_db_opts opts = {.folders = &folder, .n_folders = 1, .n_threads = 1};
    return checker->db.database ? OT_OK : ot_db_open_files(&checker->db, &opts, err);
}

int ot_tables_check(struct ot_tables_checker *checker, const char *file, uint64_t *ret_n_rows,
                    struct ot_err *err)
{
    char path[PATH_MAX];
    if (!realpath(file, path))
        return ot_err_sys(err, OT_ERR_INPUT, "%s", file);
    int code = open_database(checker, err);
    if (code == OT_OK) {
        code = count_rows(&checker->db, path, ret_n_rows, err);
        if (code < 0)
            code = ot_tables_file_error(err, code == OT_ERR_IO ? OT_ERR_INPUT : code, path);
    }
    /* Damage may have made the database itself unusable. */
    if (code < 0)
        ot_db_close(&checker->db);
    return code;
}

void ot_tables_checker_close(struct ot_tables_checker *checker)
{
    if (!checker)
        return;
    ot_db_close(&checker->db);
    free(checker);
}
