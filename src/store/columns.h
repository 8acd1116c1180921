/* columns.h: arrays of structs as tables of the database. */
#ifndef OT_STORE_COLUMNS_H
#define OT_STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "store/db.h"

enum ot_column_type {
    OT_COLUMN_INDEX, /* of the struct in its array */
    OT_COLUMN_BOOL,
    OT_COLUMN_INT32,
    OT_COLUMN_UINT32,
    OT_COLUMN_INT64,
    OT_COLUMN_UINT64,
    OT_COLUMN_COUNT,  /* an uint64_t as BIGINT: what does not fit is the largest that does */
    OT_COLUMN_BYTES,  /* a struct ot_text */
    OT_COLUMN_TEXT,   /* a struct ot_text, UTF-8 */
    OT_COLUMN_STRING, /* a const char *, UTF-8 */
    OT_COLUMN_RULE,   /* what `rule` says of a struct ot_text */
    OT_COLUMN_TYPES
};

struct ot_column {
    const char *name;
    enum ot_column_type type;
    size_t offset;
    bool (*rule)(struct ot_text text);
    size_t has_plus_1; /* 1 + offset of the bool that is false where there is NULL; 0: never NULL */
};

struct ot_table {
    const char *name;
    const struct ot_column *columns;
    size_t n_columns;
    size_t stride_bytes; /* of the structs */
};

/* "BIGINT". A constant. */
const char *ot_column_sql(enum ot_column_type type);

/* Makes the table and puts `n` structs into it. */
int ot_table_load(struct ot_db *db, const struct ot_table *table, const void *structs, size_t n,
                  struct ot_err *err);

/* The other way. The rows have the table's columns, in their order; more may follow. */

/* False if a column is missing, or of another type. */
bool ot_table_matches(const struct ot_rows *rows, const struct ot_table *table);

/* The current row as a struct, which was zeroed. Its texts are valid until ot_rows_next(). False if
 * there is NULL where there must be none. */
bool ot_table_take(const struct ot_rows *rows, const struct ot_table *table, void *ret_struct);

#endif
