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
    OT_COLUMN_BYTES,  /* a struct ot_text */
    OT_COLUMN_STRING, /* a const char *, UTF-8 */
    OT_COLUMN_RULE,   /* what `rule` says of a struct ot_text */
    OT_COLUMN_TYPES
};

struct ot_column {
    const char *name;
    enum ot_column_type type;
    size_t offset;
    bool (*rule)(struct ot_text text);
};

struct ot_table {
    const char *name;
    const struct ot_column *columns;
    size_t n_columns;
    size_t stride_bytes; /* of the structs */
};

/* Makes the table and puts `n` structs into it. */
int ot_table_load(struct ot_db *db, const struct ot_table *table, const void *structs, size_t n,
                  struct ot_err *err);

#endif
