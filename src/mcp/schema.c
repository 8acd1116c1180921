#include "mcp/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "mcp/exact.h"
#include "mcp/message.h"

enum { WHERE_BYTES = 128 };

static const struct {
    const char *name;
    json_type type;
    const char *text;
} types[] = {
    {"object", JSON_OBJECT, "an object"},    {"array", JSON_ARRAY, "an array"},
    {"string", JSON_STRING, "a string"},     {"integer", JSON_INTEGER, "an integer of 64 bits"},
    {"boolean", JSON_TRUE, "true or false"},
};

static bool is_of_type(const json_t *value, json_type type)
{
    if (type == JSON_TRUE)
        return json_is_boolean(value);
    if (type == JSON_STRING)
        return json_is_string(value) && !ot_mcp_exact_number(json_string_value(value));
    return json_typeof(value) == type;
}

static int check_type(const json_t *schema, const json_t *value, const char *where,
                      struct ot_err *err)
{
    const char *name = json_string_value(json_object_get(schema, "type"));
    for (size_t i = 0; name && i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].name, name) == 0 && !is_of_type(value, types[i].type))
            return ot_err_set(err, OT_ERR_USAGE, "%s has to be %s", where, types[i].text);
    }
    return OT_OK;
}

/* What cannot be handed on as it is. */
static int check_characters(const json_t *value, const char *where, struct ot_err *err)
{
    if (!json_is_string(value))
        return OT_OK;
    if (!ot_mcp_string(value))
        return ot_err_set(err, OT_ERR_USAGE, "%s must not have the character U+0000", where);
    if (ot_mcp_exact_has_mark(json_string_value(value)))
        return ot_err_set(err, OT_ERR_USAGE, "%s must not begin with the character U+0001", where);
    return OT_OK;
}

/* A keyword that bounds a size, and the size. */
static int check_bound(const json_t *schema, const char *keyword, bool is_least, json_int_t size,
                       const char *what, const char *where, struct ot_err *err)
{
    const json_t *bound = json_object_get(schema, keyword);
    if (!bound)
        return OT_OK;
    json_int_t limit = json_integer_value(bound);
    if (is_least ? size >= limit : size <= limit)
        return OT_OK;
    return ot_err_set(err, OT_ERR_USAGE, "%s has to be at %s %" JSON_INTEGER_FORMAT "%s", where,
                      is_least ? "least" : "most", limit, what);
}

static int check_size(const json_t *schema, const json_t *value, const char *where,
                      struct ot_err *err)
{
    static const struct {
        const char *keyword;
        const char *what;
        json_type type;
        bool is_least;
    } bounds[] = {
        {"minimum", "", JSON_INTEGER, true},
        {"maximum", "", JSON_INTEGER, false},
        {"minLength", " characters long", JSON_STRING, true},
        {"maxLength", " characters long", JSON_STRING, false},
        {"minItems", " items long", JSON_ARRAY, true},
        {"maxItems", " items long", JSON_ARRAY, false},
        {"maxProperties", " members large", JSON_OBJECT, false},
    };
    json_int_t size = json_is_integer(value)  ? json_integer_value(value)
                      : json_is_array(value)  ? (json_int_t)json_array_size(value)
                      : json_is_object(value) ? (json_int_t)json_object_size(value)
                      : json_is_string(value)
                          ? (json_int_t)ot_utf8_count(ot_text_of(json_string_value(value)))
                          : 0;
    int code = OT_OK;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]) && code == OT_OK; i++) {
        if (bounds[i].type == json_typeof(value))
            code = check_bound(schema, bounds[i].keyword, bounds[i].is_least, size, bounds[i].what,
                               where, err);
    }
    return code;
}

static int check_enum(const json_t *schema, const json_t *value, const char *where,
                      struct ot_err *err)
{
    const json_t *words = json_object_get(schema, "enum");
    struct ot_str list = {0};
    size_t i;
    json_t *word;
    bool is_one = !words;
    json_array_foreach (words, i, word) {
        is_one |= json_equal(word, value);
        ot_str_addf(&list, "%s%s", i ? ", " : "", json_string_value(word));
    }
    if (!is_one)
        ot_err_set(err, OT_ERR_USAGE, "%s has to be one of: %s", where, ot_str_borrow(&list));
    ot_str_release(&list);
    return is_one ? OT_OK : OT_ERR_USAGE;
}

static int check_items(const json_t *schema, const json_t *value, const char *where,
                       struct ot_err *err)
{
    const json_t *of_item = json_object_get(schema, "items");
    size_t i;
    json_t *item;
    int code = OT_OK;
    json_array_foreach (value, i, item) {
        char place[WHERE_BYTES];
        snprintf(place, sizeof(place), "%.100s[%zu]", where, i);
        if (of_item && code == OT_OK)
            code = ot_mcp_schema_check(of_item, item, place, err);
    }
    return code;
}

static int check_name(const json_t *schema, const char *key, const char *where, struct ot_err *err)
{
    const json_t *of_name = json_object_get(schema, "propertyNames");
    json_t *name = json_string(key);
    char place[WHERE_BYTES];
    snprintf(place, sizeof(place), "a name in %.100s", where);
    int code = !name     ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for arguments")
               : of_name ? ot_mcp_schema_check(of_name, name, place, err)
                         : check_characters(name, place, err);
    json_decref(name);
    return code;
}

static int check_member(const json_t *schema, const char *key, const json_t *value,
                        const char *where, struct ot_err *err)
{
    const json_t *of_member = json_object_get(json_object_get(schema, "properties"), key);
    const json_t *of_others = json_object_get(schema, "additionalProperties");
    if (!of_member && json_is_false(of_others))
        return ot_err_set(err, OT_ERR_USAGE, "%s has no \"%s\"", where, key);
    int code = check_name(schema, key, where, err);
    if (code < 0)
        return code;
    char place[WHERE_BYTES];
    snprintf(place, sizeof(place), "\"%.100s\"", key);
    if (!of_member && !json_is_object(of_others))
        return OT_OK;
    return ot_mcp_schema_check(of_member ? of_member : of_others, value, place, err);
}

static int check_members(const json_t *schema, const json_t *value, const char *where,
                         struct ot_err *err)
{
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(schema, "required"), i, name) {
        if (!json_object_get(value, json_string_value(name)))
            return ot_err_set(err, OT_ERR_USAGE, "%s must have \"%s\"", where,
                              json_string_value(name));
    }
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        int code = check_member(schema, key, member, where, err);
        if (code < 0)
            return code;
    }
    return OT_OK;
}

int ot_mcp_schema_check(const json_t *schema, const json_t *value, const char *where,
                        struct ot_err *err)
{
    int code = check_type(schema, value, where, err);
    if (code == OT_OK)
        code = check_characters(value, where, err);
    if (code == OT_OK)
        code = check_size(schema, value, where, err);
    if (code == OT_OK)
        code = check_enum(schema, value, where, err);
    if (code == OT_OK && json_is_array(value))
        code = check_items(schema, value, where, err);
    if (code == OT_OK && json_is_object(value))
        code = check_members(schema, value, where, err);
    return code;
}

int ot_mcp_schema_fill(const json_t *schema, json_t *arguments, struct ot_err *err)
{
    const char *key;
    json_t *of_member;
    json_object_foreach (json_object_get(schema, "properties"), key, of_member) {
        json_t *value = json_object_get(of_member, "default");
        if (value && !json_object_get(arguments, key) && json_object_set(arguments, key, value) < 0)
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for arguments");
    }
    return OT_OK;
}
