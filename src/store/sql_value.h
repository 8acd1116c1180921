/* sql_value.h: the values of an answer as text and as JSON.
 *
 * Numbers keep all their digits, times are ISO 8601, and lists, structs and maps are JSON in either
 * form. One thread.
 */
#ifndef OT_STORE_SQL_VALUE_H
#define OT_STORE_SQL_VALUE_H

#include <duckdb.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "emit/json/json.h"

/* The type of a column, or of what is in a column's values. */
struct ot_sql_type {
    duckdb_type id;
    duckdb_type stored_as; /* of a DECIMAL or ENUM */
    unsigned scale;        /* digits behind the point */
    size_t array_size;
    const char **words; /* of an ENUM */
    size_t n_words;
    const char **names; /* of a STRUCT's or UNION's members */
    struct ot_sql_type *members;
    size_t n_members; /* of a LIST and an ARRAY 1, of a MAP 2 */
};

/* OT_ERR_USAGE: there is no text for values of this type, and the message says to cast it. */
int ot_sql_type_read(struct ot_arena *arena, duckdb_logical_type logical,
                     struct ot_sql_type *ret_type, struct ot_err *err);

/* "BIGINT", "VARCHAR[]", "STRUCT(a INTEGER)", added as DuckDB spells it. */
void ot_sql_type_add_name(struct ot_str *str, const struct ot_sql_type *type);

bool ot_sql_type_is_number(const struct ot_sql_type *type);
bool ot_sql_type_is_nested(const struct ot_sql_type *type);

bool ot_sql_value_is_null(duckdb_vector vector, size_t row);

/* The value at `row`, which is not NULL. A BLOB's bytes beyond ASCII are \xNN. */
void ot_sql_value_add(struct ot_str *str, const struct ot_sql_type *type, duckdb_vector vector,
                      size_t row);

/* The same as JSON: NULL, NaN and infinities are null. */
void ot_sql_value_write(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector vector,
                        size_t row);

#endif
