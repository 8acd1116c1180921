#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool ot_vec_reserve(void *items, size_t *cap, size_t need, size_t item_bytes)
{
    if (need <= *cap)
        return true;
    if (need > SIZE_MAX / 2 / item_bytes)
        return false;
    size_t new_cap = *cap ? *cap : 16;
    while (new_cap < need)
        new_cap *= 2;
    /* `items` is a pointer to some T *; copying the pointer's bytes keeps to the aliasing rules. */
    void *memory;
    memcpy(&memory, items, sizeof(memory));
    void *larger = reallocarray(memory, new_cap, item_bytes);
    if (!larger)
        return false;
    memcpy(items, &larger, sizeof(larger));
    *cap = new_cap;
    return true;
}
