#include <string.h>

#include "store/sql_value.h"

/* DuckDB's names. What is not here cannot be written. */
static const struct {
    duckdb_type id;
    const char *name;
} names[] = {
    {DUCKDB_TYPE_SQLNULL, "NULL"},
    {DUCKDB_TYPE_BOOLEAN, "BOOLEAN"},
    {DUCKDB_TYPE_TINYINT, "TINYINT"},
    {DUCKDB_TYPE_SMALLINT, "SMALLINT"},
    {DUCKDB_TYPE_INTEGER, "INTEGER"},
    {DUCKDB_TYPE_BIGINT, "BIGINT"},
    {DUCKDB_TYPE_HUGEINT, "HUGEINT"},
    {DUCKDB_TYPE_UTINYINT, "UTINYINT"},
    {DUCKDB_TYPE_USMALLINT, "USMALLINT"},
    {DUCKDB_TYPE_UINTEGER, "UINTEGER"},
    {DUCKDB_TYPE_UBIGINT, "UBIGINT"},
    {DUCKDB_TYPE_UHUGEINT, "UHUGEINT"},
    {DUCKDB_TYPE_FLOAT, "FLOAT"},
    {DUCKDB_TYPE_DOUBLE, "DOUBLE"},
    {DUCKDB_TYPE_DECIMAL, "DECIMAL"},
    {DUCKDB_TYPE_VARCHAR, "VARCHAR"},
    {DUCKDB_TYPE_BLOB, "BLOB"},
    {DUCKDB_TYPE_UUID, "UUID"},
    {DUCKDB_TYPE_ENUM, "ENUM"},
    {DUCKDB_TYPE_DATE, "DATE"},
    {DUCKDB_TYPE_TIME, "TIME"},
    {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP"},
    {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S"},
    {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS"},
    {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS"},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE"},
    {DUCKDB_TYPE_INTERVAL, "INTERVAL"},
    {DUCKDB_TYPE_LIST, "LIST"},
    {DUCKDB_TYPE_ARRAY, "ARRAY"},
    {DUCKDB_TYPE_STRUCT, "STRUCT"},
    {DUCKDB_TYPE_MAP, "MAP"},
    {DUCKDB_TYPE_UNION, "UNION"},
};

static const char *name_of(duckdb_type id)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].id == id)
            return names[i].name;
    }
    return NULL;
}

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
}

/* Takes a text of DuckDB's over. */
static const char *keep(struct ot_arena *arena, char *text)
{
    const char *copy = text ? ot_arena_copy(arena, text, strlen(text)) : NULL;
    duckdb_free(text);
    return copy;
}

static int read_words(struct ot_arena *arena, duckdb_logical_type logical, struct ot_sql_type *type,
                      struct ot_err *err)
{
    type->stored_as = duckdb_enum_internal_type(logical);
    type->n_words = duckdb_enum_dictionary_size(logical);
    type->words = ot_arena_alloc(arena, (type->n_words + 1) * sizeof(*type->words));
    if (!type->words)
        return out_of_memory(err);
    for (size_t i = 0; i < type->n_words; i++) {
        type->words[i] = keep(arena, duckdb_enum_dictionary_value(logical, i));
        if (!type->words[i])
            return out_of_memory(err);
    }
    return OT_OK;
}

static size_t count_members(duckdb_logical_type logical, duckdb_type id)
{
    switch (id) {
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_ARRAY:
        return 1;
    case DUCKDB_TYPE_MAP:
        return 2;
    case DUCKDB_TYPE_STRUCT:
        return duckdb_struct_type_child_count(logical);
    case DUCKDB_TYPE_UNION:
        return duckdb_union_type_member_count(logical);
    default:
        return 0;
    }
}

static duckdb_logical_type member_type(duckdb_logical_type logical, duckdb_type id, size_t i)
{
    switch (id) {
    case DUCKDB_TYPE_LIST:
        return duckdb_list_type_child_type(logical);
    case DUCKDB_TYPE_ARRAY:
        return duckdb_array_type_child_type(logical);
    case DUCKDB_TYPE_MAP:
        return i ? duckdb_map_type_value_type(logical) : duckdb_map_type_key_type(logical);
    case DUCKDB_TYPE_STRUCT:
        return duckdb_struct_type_child_type(logical, i);
    default:
        return duckdb_union_type_member_type(logical, i);
    }
}

static const char *member_name(struct ot_arena *arena, duckdb_logical_type logical, duckdb_type id,
                               size_t i)
{
    if (id == DUCKDB_TYPE_STRUCT)
        return keep(arena, duckdb_struct_type_child_name(logical, i));
    if (id == DUCKDB_TYPE_UNION)
        return keep(arena, duckdb_union_type_member_name(logical, i));
    return "";
}

static int read_members(struct ot_arena *arena, duckdb_logical_type logical,
                        struct ot_sql_type *type, struct ot_err *err)
{
    type->n_members = count_members(logical, type->id);
    if (type->n_members == 0)
        return OT_OK;
    type->members = ot_arena_alloc(arena, type->n_members * sizeof(*type->members));
    type->names = ot_arena_alloc(arena, type->n_members * sizeof(*type->names));
    if (!type->members || !type->names)
        return out_of_memory(err);
    for (size_t i = 0; i < type->n_members; i++) {
        duckdb_logical_type member = member_type(logical, type->id, i);
        int code = ot_sql_type_read(arena, member, &type->members[i], err);
        duckdb_destroy_logical_type(&member);
        if (code < 0)
            return code;
        type->names[i] = member_name(arena, logical, type->id, i);
        if (!type->names[i])
            return out_of_memory(err);
    }
    return OT_OK;
}

int ot_sql_type_read(struct ot_arena *arena, duckdb_logical_type logical,
                     struct ot_sql_type *ret_type, struct ot_err *err)
{
    struct ot_sql_type type = {.id = duckdb_get_type_id(logical)};
    if (!name_of(type.id))
        return ot_err_set(err, OT_ERR_USAGE,
                          "a column has a type that cannot be written: cast it (column::VARCHAR)");
    int code = OT_OK;
    if (type.id == DUCKDB_TYPE_ENUM)
        code = read_words(arena, logical, &type, err);
    if (type.id == DUCKDB_TYPE_DECIMAL) {
        type.stored_as = duckdb_decimal_internal_type(logical);
        type.scale = duckdb_decimal_scale(logical);
    }
    if (type.id == DUCKDB_TYPE_ARRAY)
        type.array_size = duckdb_array_type_array_size(logical);
    if (code == OT_OK)
        code = read_members(arena, logical, &type, err);
    if (code == OT_OK)
        *ret_type = type;
    return code;
}

void ot_sql_type_add_name(struct ot_str *str, const struct ot_sql_type *type)
{
    if (type->id == DUCKDB_TYPE_LIST || type->id == DUCKDB_TYPE_ARRAY) {
        ot_sql_type_add_name(str, &type->members[0]);
        ot_str_addf(str, "[]");
        return;
    }
    ot_str_addf(str, "%s", name_of(type->id));
    for (size_t i = 0; i < type->n_members; i++) {
        ot_str_addf(str, "%s%s%s", i ? ", " : "(", type->names[i], type->names[i][0] ? " " : "");
        ot_sql_type_add_name(str, &type->members[i]);
    }
    ot_str_addf(str, "%s", type->n_members ? ")" : "");
}

bool ot_sql_type_is_number(const struct ot_sql_type *type)
{
    switch (type->id) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
        return true;
    default:
        return false;
    }
}

bool ot_sql_type_is_nested(const struct ot_sql_type *type)
{
    return type->n_members > 0;
}
