/* sql_parts.h: the sessions of a view as tables of a database.
 *
 * What sql/views.sql stands on, in the schema `parts`: `ids` (the sessions and their base),
 * `runs`, `labels` and `members` are tables in memory; the others are views over the Parquet files
 * of all sessions, whose column `no` is a row of `ids`. Slices and memory events have the
 * session's id, too, by which a condition leaves out whole sessions before a row is read; names are
 * joined by numbers.
 */
#ifndef OT_STORE_SQL_PARTS_H
#define OT_STORE_SQL_PARTS_H

#include "base/err.h"
#include "store/db.h"
#include "store/store.h"

/* Lets the database read the files of the view and write `writable`, if that is not NULL, and
 * reach nothing else from then on. */
int ot_sql_parts_allow(struct ot_db *db, const struct ot_sql_view *view, const char *writable,
                       struct ot_err *err);

/* Makes the tables. OT_ERR_INPUT: a file is missing or damaged. */
int ot_sql_parts_make(struct ot_db *db, const struct ot_sql_view *view, struct ot_err *err);

#endif
