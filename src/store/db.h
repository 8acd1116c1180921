/* db.h: a DuckDB database in memory, and what its queries say.
 *
 * It reaches no file and no network and starts no thread, unless it is opened for some. Errors are
 * DuckDB's own words: the queries are ours, so they tell of memory that is out, or of a bug. One
 * thread.
 */
#ifndef OT_STORE_DB_H
#define OT_STORE_DB_H

#include <duckdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct ot_db {
    duckdb_database database;
    duckdb_connection connection;
};

/* A zeroed struct is closed. Close it also after a failure. */
int ot_db_open(struct ot_db *db, struct ot_err *err);

/* Likewise, but it may still reach any file: whoever opens it so says what it may not. */
int ot_db_open_unlocked(struct ot_db *db, struct ot_err *err);

struct ot_db_opts {
    const char *const *folders; /* it may read and write files below these, and reach no others */
    size_t n_folders;
    unsigned n_threads; /* 1: none is started */
};

/* Likewise. */
int ot_db_open_files(struct ot_db *db, const struct ot_db_opts *opts, struct ot_err *err);
void ot_db_close(struct ot_db *db);

/* The rows of a result, one at a time. */
struct ot_rows {
    duckdb_result result;
    duckdb_data_chunk chunk;
    uint64_t row; /* in the chunk */
    uint64_t n_rows;
    uint64_t n_columns;
    uint64_t n_overflowed; /* numbers that met the limits of int64_t */
};

/* Runs statements whose rows nobody wants. */
int ot_db_run(struct ot_db *db, const char *sql, struct ot_err *err);

/* Runs the statements; `ret_rows` holds the last one's rows, and has to be released if this
 * succeeds. */
int ot_db_query(struct ot_db *db, const char *sql, struct ot_rows *ret_rows, struct ot_err *err);

/* Moves to the next row: false after the last one. */
bool ot_rows_next(struct ot_rows *rows);

bool ot_rows_is_null(const struct ot_rows *rows, unsigned column);

/* NULL reads as 0. What does not fit saturates and is counted. */
int64_t ot_rows_int(struct ot_rows *rows, unsigned column);
bool ot_rows_bool(const struct ot_rows *rows, unsigned column);

/* Of a VARCHAR or BLOB; valid until the next call of ot_rows_next(). */
struct ot_text ot_rows_text(const struct ot_rows *rows, unsigned column);

void ot_rows_release(struct ot_rows *rows);

/* As ot_err_set(), with what DuckDB says. */
int ot_db_error(struct ot_err *err, const char *what, const char *duckdb_says);

#endif
