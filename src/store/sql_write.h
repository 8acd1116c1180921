/* sql_write.h: the rows of an answer, one by one, in one of the formats of an output. */
#ifndef OT_STORE_SQL_WRITE_H
#define OT_STORE_SQL_WRITE_H

#include <duckdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/sql_value.h"
#include "store/store.h"

/* The columns of an answer. */
struct ot_sql_columns {
    struct ot_arena arena;
    const char **names; /* no two are the same */
    struct ot_sql_type *types;
    size_t n;
    bool is_plan; /* of EXPLAIN: texts of many lines */
};

/* Release it also after a failure. OT_ERR_USAGE as ot_sql_type_read(). */
int ot_sql_columns_read(struct ot_sql_columns *columns, duckdb_result *result, struct ot_err *err);
void ot_sql_columns_release(struct ot_sql_columns *columns);

/* What a format is told. `state` is its own, from `begin` to `end`, which is always called, and
 * with `result` NULL after a failure: then it only releases. */
struct ot_sql_writer {
    int (*begin)(const struct ot_sql_columns *columns, const struct ot_sql_output *output,
                 const char *commit, void **ret_state, struct ot_err *err);
    void (*row)(void *state, duckdb_data_chunk chunk, size_t row);
    int (*end)(void *state, const struct ot_sql_result *result, struct ot_err *err);
};

extern const struct ot_sql_writer ot_sql_table_writer;
extern const struct ot_sql_writer ot_sql_csv_writer;
extern const struct ot_sql_writer ot_sql_json_writer;

#endif
