#include "fold/shapes.h"

#include "base/hash.h"
#include "base/vec.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_separator(char c)
{
    return c == ',' || c == ':';
}

/* As PyTorch writes it: a blank behind each separator, and no other. Text with strings in it is
 * looked at more closely. */
static bool is_usual(struct ot_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool follows = i > 0 && is_separator(text.bytes[i - 1]);
        if (text.bytes[i] == '"' || is_space(text.bytes[i]) != follows)
            return false;
    }
    return true;
}

static void lay_out(struct ot_str *line, struct ot_text text)
{
    bool in_string = false;
    ot_str_clear(line);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];
        if (!in_string && is_space(c))
            continue;
        ot_str_add(line, &c, 1);
        if (in_string && c == '\\' && i + 1 < text.len)
            ot_str_add(line, &text.bytes[++i], 1);
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && is_separator(c))
            ot_str_add(line, " ", 1);
    }
}

static bool same_shapes(const void *owner, size_t index, const void *key)
{
    const struct ot_shape_count *shape = &((const struct ot_population *)owner)->shapes[index];
    const struct ot_shape_count *wanted = key;
    return shape->row == wanted->row && shape->shapes == wanted->shapes;
}

int ot_shapes_count(struct ot_shapes *shapes, struct ot_population *pop, uint32_t row,
                    struct ot_text text, struct ot_err *err)
{
    if (!is_usual(text)) {
        lay_out(&shapes->line, text);
        if (shapes->line.failed)
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for shapes");
        text = (struct ot_text){shapes->line.bytes, shapes->line.len};
    }
    struct ot_shape_count key = {.row = row};
    int code = ot_names_intern(&pop->names, text, &key.shapes, err);
    if (code < 0)
        return code;
    uint64_t hash = ot_hash_mix(0, (uint64_t)key.row << 32 | key.shapes);
    int64_t found = ot_map_find(&shapes->map, hash, same_shapes, pop, &key);
    if (found == OT_MAP_NONE) {
        if (!ot_vec_reserve(&pop->shapes, &shapes->cap, pop->n_shapes + 1, sizeof(*pop->shapes)) ||
            !ot_map_put(&shapes->map, hash, pop->n_shapes))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for shapes");
        found = (int64_t)pop->n_shapes++;
        pop->shapes[found] = key;
    }
    pop->shapes[found].n_calls++;
    return OT_OK;
}

void ot_shapes_release(struct ot_shapes *shapes)
{
    ot_map_release(&shapes->map);
    ot_str_release(&shapes->line);
    *shapes = (struct ot_shapes){0};
}
