#include "corpus/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

static bool same(const void *owner, size_t i, const void *key)
{
    return strcmp(((const struct ot_ids *)owner)->items[i], key) == 0;
}

static uint64_t hash_of(const char *id)
{
    return ot_hash_bytes(id, strlen(id));
}

int64_t ot_ids_find(const struct ot_ids *ids, const char *id)
{
    return ot_map_find(&ids->map, hash_of(id), same, ids, id);
}

bool ot_ids_has(const struct ot_ids *ids, const char *id)
{
    return ot_ids_find(ids, id) != OT_MAP_NONE;
}

bool ot_ids_add(struct ot_ids *ids, const char *id)
{
    if (ot_ids_has(ids, id))
        return false;
    if (!ot_vec_reserve(&ids->items, &ids->cap, ids->n + 1, sizeof(*ids->items)) ||
        !ot_map_put(&ids->map, hash_of(id), ids->n)) {
        ids->failed = true;
        return false;
    }
    ids->items[ids->n++] = id;
    return true;
}

void ot_ids_release(struct ot_ids *ids)
{
    if (!ids)
        return;
    ot_map_release(&ids->map);
    free(ids->items);
    *ids = (struct ot_ids){0};
}
