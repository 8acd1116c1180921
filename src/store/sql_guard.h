/* sql_guard.h: one statement that reads, and nothing else.
 *
 * The database itself reaches no file but the tables of the store, and its settings are locked.
 * Here is refused what it would still do: change itself, log, read files by name, and write to one
 * that it may read. Any thread.
 */
#ifndef OT_STORE_SQL_GUARD_H
#define OT_STORE_SQL_GUARD_H

#include <duckdb.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

struct ot_sql_checked {
    struct ot_text statement; /* without the semicolon and what is behind it */
    struct ot_text explained; /* what an EXPLAIN is of; no bytes: it is none */
};

/* Looks at the words. OT_ERR_USAGE: it is empty, several, or nothing that reads. */
int ot_sql_check(const char *text, struct ot_sql_checked *ret_checked, struct ot_err *err);

/* Looks at what DuckDB takes it for, and prepares it. The caller destroys what is prepared. */
int ot_sql_prepare(duckdb_connection connection, const struct ot_sql_checked *checked,
                   duckdb_prepared_statement *ret_prepared, struct ot_err *err);

/* A query may not call it. */
bool ot_sql_is_refused_function(struct ot_text name);

/* Says what DuckDB says, which may have several lines: the place, if it knows that. OT_ERR_USAGE,
 * or another code if the query is not what is wrong. */
int ot_sql_fail(struct ot_err *err, const char *says);

#endif
