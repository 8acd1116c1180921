#include "model/names.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

static bool same_text(const void *owner, size_t index, const void *key)
{
    const struct ot_names *names = owner;
    return ot_text_same(names->texts[index], *(const struct ot_text *)key);
}

static int add(struct ot_names *names, struct ot_text text, uint64_t hash, uint32_t *ret_id,
               struct ot_err *err)
{
    if (names->n_texts >= OT_NAMES_MAX || text.len > OT_NAMES_MAX_BYTES - names->total_bytes)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d distinct names, or %d bytes of them",
                          OT_NAMES_MAX, OT_NAMES_MAX_BYTES);
    char *copy = ot_arena_copy(&names->arena, text.bytes, text.len);
    if (!copy ||
        !ot_vec_reserve(&names->texts, &names->cap, names->n_texts + 1, sizeof(names->texts[0])) ||
        !ot_map_put(&names->map, hash, names->n_texts))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
    names->total_bytes += text.len;
    names->texts[names->n_texts] = (struct ot_text){copy, text.len};
    *ret_id = (uint32_t)names->n_texts++;
    return OT_OK;
}

int ot_names_intern(struct ot_names *names, struct ot_text text, uint32_t *ret_id,
                    struct ot_err *err)
{
    uint64_t hash = ot_hash_bytes(text.bytes, text.len);
    int64_t found = ot_map_find(&names->map, hash, same_text, names, &text);
    if (found == OT_MAP_NONE)
        return add(names, text, hash, ret_id, err);
    *ret_id = (uint32_t)found;
    return OT_OK;
}

void ot_names_release(struct ot_names *names)
{
    if (!names)
        return;
    ot_arena_release(&names->arena);
    ot_map_release(&names->map);
    free(names->texts);
    *names = (struct ot_names){0};
}
