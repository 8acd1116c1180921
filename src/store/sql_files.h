/* sql_files.h: the Parquet files of a view's sessions: which there are, and that a database may
 * reach them and nothing else.
 */
#ifndef OT_STORE_SQL_FILES_H
#define OT_STORE_SQL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"
#include "store/tables_columns.h"

/* Those of one table of one session, sorted. */
struct ot_sql_files {
    char **names; /* malloc'ed each */
    size_t n;
    size_t cap;
};

/* Whether a table is in several files ("slices-0000.parquet") or one ("operators.parquet"). */
static inline bool ot_sql_files_are_many(enum ot_tables_kind kind)
{
    return kind >= OT_TABLES_SMALL;
}

/* Of a table that is in several. OT_ERR_INPUT: there is none. Release them after success. */
int ot_sql_files_list(const char *folder, const char *table, struct ot_sql_files *ret_files,
                      struct ot_err *err);
void ot_sql_files_release(struct ot_sql_files *files);

/* Adds FOLDER/NAME, as a name or as a pattern that fits that name alone. */
void ot_sql_files_add_path(struct ot_str *sql, const char *folder, const char *name,
                           void (*quote)(struct ot_str *sql, const char *text));

/* Adds statements after which a database can read the files of the view and write `writable`, if
 * that is not NULL, and reach nothing else. OT_ERR_INPUT: a file is missing. */
int ot_sql_files_allow(struct ot_str *sql, const struct ot_sql_view *view, const char *writable,
                       struct ot_err *err);

#endif
