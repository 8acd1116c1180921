#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = _Alignof(max_align_t) };

struct ot_arena_block {
    struct ot_arena_block *older;
    size_t used;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

void *ot_arena_alloc(struct ot_arena *arena, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX / 2)
        return NULL;
    size_t rounded = (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct ot_arena_block *block = arena->newest;
    if (!block || block->size - block->used < rounded) {
        size_t size = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        block = malloc(sizeof(*block) + size);
        if (!block)
            return NULL;
        *block = (struct ot_arena_block){.older = arena->newest, .size = size};
        arena->newest = block;
    }
    void *memory = block->bytes + block->used;
    block->used += rounded;
    return memory;
}

char *ot_arena_copy(struct ot_arena *arena, const char *bytes, size_t len)
{
    char *copy = len < SIZE_MAX ? ot_arena_alloc(arena, len + 1) : NULL;
    if (!copy)
        return NULL;
    if (len)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}

void ot_arena_release(struct ot_arena *arena)
{
    if (!arena)
        return;
    while (arena->newest) {
        struct ot_arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
}
