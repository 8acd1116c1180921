#include <stdlib.h>

#include "store/sql_write.h"

struct json {
    const struct ot_sql_columns *columns;
    struct ot_json json;
};

static void put_columns(struct json *json)
{
    struct ot_str type = {0};
    ot_json_key(&json->json, ot_text_of("columns"));
    ot_json_begin_array(&json->json);
    for (size_t i = 0; i < json->columns->n; i++) {
        ot_str_clear(&type);
        ot_sql_type_add_name(&type, &json->columns->types[i]);
        ot_json_begin_object(&json->json);
        ot_json_put_text(&json->json, "name", ot_text_of(json->columns->names[i]));
        ot_json_put_text(&json->json, "type", (struct ot_text){ot_str_borrow(&type), type.len});
        ot_json_end_object(&json->json);
    }
    ot_json_end_array(&json->json);
    ot_str_release(&type);
}

static int begin(const struct ot_sql_columns *columns, const struct ot_sql_output *output,
                 const char *commit, void **ret_state, struct ot_err *err)
{
    struct json *json = calloc(1, sizeof(*json));
    if (!json)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
    *json = (struct json){columns, {.out = output->out}};
    ot_json_begin_object(&json->json);
    ot_json_put_text(&json->json, "schema", ot_text_of("optally.sql/1"));
    ot_json_put_text(&json->json, "commit", ot_text_of(commit));
    put_columns(json);
    ot_json_key(&json->json, ot_text_of("rows"));
    ot_json_begin_array(&json->json);
    *ret_state = json;
    return OT_OK;
}

static void row(void *state, duckdb_data_chunk chunk, size_t row)
{
    struct json *json = state;
    ot_json_begin_object(&json->json);
    for (size_t i = 0; i < json->columns->n; i++) {
        ot_json_key(&json->json, ot_text_of(json->columns->names[i]));
        ot_sql_value_write(&json->json, &json->columns->types[i],
                           duckdb_data_chunk_get_vector(chunk, i), row);
    }
    ot_json_end_object(&json->json);
}

static int end(void *state, const struct ot_sql_result *result, struct ot_err *err)
{
    struct json *json = state;
    (void)err;
    if (result) {
        ot_json_end_array(&json->json);
        ot_json_put_unsigned(&json->json, "total_rows", result->n_rows);
        ot_json_put_unsigned(&json->json, "returned", result->n_shown);
        ot_json_put_bool(&json->json, "truncated", result->n_shown < result->n_rows);
        ot_json_end_object(&json->json);
        putc('\n', json->json.out);
    }
    free(json);
    return OT_OK;
}

const struct ot_sql_writer ot_sql_json_writer = {begin, row, end};
