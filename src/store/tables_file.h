/* tables_file.h: an array of structs as one file. Private to this folder. */
#ifndef OT_STORE_TABLES_FILE_H
#define OT_STORE_TABLES_FILE_H

#include "store/columns.h"
#include "store/store.h"

/* "parquet". A constant. */
const char *ot_tables_suffix(enum ot_tables_format format);

/* OT_ERR_IO: the file cannot be written; the message names it. */
int ot_tables_write_file(struct ot_db *db, const char *path, enum ot_tables_format format,
                         const struct ot_table *table, const void *structs, size_t n,
                         struct ot_err *err);

/* Makes one sentence of what DuckDB says of a file, which `err` has: "FILE: No space left on
 * device". Returns `code`. */
int ot_tables_file_error(struct ot_err *err, int code, const char *path);

#endif
