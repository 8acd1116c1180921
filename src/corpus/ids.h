/* ids.h: a set of ids, in the order in which they came. The texts are borrowed. */
#ifndef OT_CORPUS_IDS_H
#define OT_CORPUS_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct ot_ids {
    const char **items;
    size_t n;
    size_t cap;
    struct ot_map map;
    bool failed; /* memory is out; sticks */
};

/* Whether it was not in there. A zeroed struct is an empty set. */
bool ot_ids_add(struct ot_ids *ids, const char *id);

/* The place of an id in `items`, or OT_MAP_NONE. */
int64_t ot_ids_find(const struct ot_ids *ids, const char *id);

bool ot_ids_has(const struct ot_ids *ids, const char *id);

void ot_ids_release(struct ot_ids *ids);

#endif
