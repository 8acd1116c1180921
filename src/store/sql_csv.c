#include <stdlib.h>

#include "emit/csv/csv.h"
#include "store/sql_write.h"

struct csv {
    const struct ot_sql_columns *columns;
    FILE *out;
    struct ot_str text; /* of a field */
};

static void end_field(const struct csv *csv, size_t i)
{
    fputs(i + 1 < csv->columns->n ? "," : "\r\n", csv->out);
}

static int begin(const struct ot_sql_columns *columns, const struct ot_sql_output *output,
                 const char *commit, void **ret_state, struct ot_err *err)
{
    (void)commit;
    struct csv *csv = calloc(1, sizeof(*csv));
    if (!csv)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
    csv->columns = columns;
    csv->out = output->out;
    for (size_t i = 0; i < columns->n; i++) {
        ot_csv_text(csv->out, ot_text_of(columns->names[i]));
        end_field(csv, i);
    }
    *ret_state = csv;
    return OT_OK;
}

/* NULL is an empty field; a text that is empty has quotes. */
static void row(void *state, duckdb_data_chunk chunk, size_t row)
{
    struct csv *csv = state;
    for (size_t i = 0; i < csv->columns->n; i++) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, i);
        const struct ot_sql_type *type = &csv->columns->types[i];
        if (!ot_sql_value_is_null(vector, row) && type->id != DUCKDB_TYPE_SQLNULL) {
            ot_str_clear(&csv->text);
            ot_sql_value_add(&csv->text, type, vector, row);
            if (csv->text.len == 0)
                fputs("\"\"", csv->out);
            ot_csv_text(csv->out, (struct ot_text){ot_str_borrow(&csv->text), csv->text.len});
        }
        end_field(csv, i);
    }
}

static int end(void *state, const struct ot_sql_result *result, struct ot_err *err)
{
    struct csv *csv = state;
    bool failed = csv->text.failed;
    (void)result;
    ot_str_release(&csv->text);
    free(csv);
    return failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query") : OT_OK;
}

const struct ot_sql_writer ot_sql_csv_writer = {begin, row, end};
