/* map.h: from a hash to the index of an item in its owner's array.
 *
 * The map holds no keys: the owner compares them through `same`. Items are never removed. A zeroed
 * struct is an empty map. One thread.
 */
#ifndef OT_BASE_MAP_H
#define OT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OT_MAP_NONE = -1 };

struct ot_map {
    struct ot_map_slot *slots;
    size_t n_slots; /* 0 or a power of two */
    size_t n_used;
};

/* True if item `index` of `owner` has this key. */
typedef bool (*ot_map_same)(const void *owner, size_t index, const void *key);

/* The index that was put for this key, or OT_MAP_NONE. */
int64_t ot_map_find(const struct ot_map *map, uint64_t hash, ot_map_same same, const void *owner,
                    const void *key);

/* The caller has seen that the key is not there. False when memory is out. `index` < 2^32 - 1. */
bool ot_map_put(struct ot_map *map, uint64_t hash, size_t index);

void ot_map_release(struct ot_map *map);

#endif
