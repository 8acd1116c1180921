#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

/* Keeping half of the hash spares most calls of `same`, and rehashing never needs the keys. */
struct ot_map_slot {
    uint32_t tag;
    uint32_t index_plus_1; /* 0: free */
};

static size_t first_slot(uint32_t tag, size_t n_slots)
{
    return tag & (n_slots - 1);
}

/* The high half of the hash is the better mixed one. */
static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static void place(struct ot_map_slot *slots, size_t n_slots, struct ot_map_slot item)
{
    size_t at = first_slot(item.tag, n_slots);
    while (slots[at].index_plus_1)
        at = (at + 1) & (n_slots - 1);
    slots[at] = item;
}

static bool grow(struct ot_map *map)
{
    size_t n_slots = map->n_slots ? map->n_slots * 2 : 64;
    struct ot_map_slot *slots = calloc(n_slots, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < map->n_slots; i++) {
        if (map->slots[i].index_plus_1)
            place(slots, n_slots, map->slots[i]);
    }
    free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return true;
}

int64_t ot_map_find(const struct ot_map *map, uint64_t hash, ot_map_same same, const void *owner,
                    const void *key)
{
    if (map->n_slots == 0)
        return OT_MAP_NONE;
    uint32_t tag = tag_of(hash);
    size_t at = first_slot(tag, map->n_slots);
    for (; map->slots[at].index_plus_1; at = (at + 1) & (map->n_slots - 1)) {
        const struct ot_map_slot *slot = &map->slots[at];
        if (slot->tag == tag && same(owner, slot->index_plus_1 - 1, key))
            return slot->index_plus_1 - 1;
    }
    return OT_MAP_NONE;
}

bool ot_map_put(struct ot_map *map, uint64_t hash, size_t index)
{
    assert(index < UINT32_MAX);
    /* At most half full: probes stay short and a free slot always ends them. */
    if (map->n_used * 2 >= map->n_slots && !grow(map))
        return false;
    place(map->slots, map->n_slots,
          (struct ot_map_slot){.tag = tag_of(hash), .index_plus_1 = (uint32_t)index + 1});
    map->n_used++;
    return true;
}

void ot_map_release(struct ot_map *map)
{
    if (!map)
        return;
    free(map->slots);
    *map = (struct ot_map){0};
}
