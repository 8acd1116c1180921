#include "tracer/builtin/finished.h"

#include "tracer/builtin/region.h"

static bool grow(struct ot_finished *finished)
{
    size_t cap = finished->cap ? 2 * finished->cap : 1024;
    uint32_t *indexes = ot_region_new(cap * sizeof(*indexes));
    if (!indexes)
        return false;
    for (size_t i = 0; i < finished->count; i++)
        indexes[i] = finished->indexes[(finished->first + i) & (finished->cap - 1)];
    ot_region_free(finished->indexes, finished->cap * sizeof(*indexes));
    finished->indexes = indexes;
    finished->first = 0;
    finished->cap = cap;
    return true;
}

bool ot_finished_put(struct ot_finished *finished, uint32_t index)
{
    if (finished->count == finished->cap && !grow(finished))
        return false;
    finished->indexes[(finished->first + finished->count++) & (finished->cap - 1)] = index;
    return true;
}

bool ot_finished_take(struct ot_finished *finished, uint32_t *ret_index)
{
    if (finished->count == 0)
        return false;
    *ret_index = finished->indexes[finished->first];
    finished->first = (finished->first + 1) & (finished->cap - 1);
    finished->count--;
    return true;
}
