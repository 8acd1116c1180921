/* arena.h: memory that lives as long as its owner.
 *
 * Allocations are never moved and never released alone; ot_arena_release() ends all of them. A
 * zeroed struct is an empty arena. One thread.
 */
#ifndef OT_BASE_ARENA_H
#define OT_BASE_ARENA_H

#include <stddef.h>

struct ot_arena {
    struct ot_arena_block *newest;
};

/* Aligned for every type, not cleared. NULL when memory is out. */
void *ot_arena_alloc(struct ot_arena *arena, size_t size_bytes);

/* A copy with a NUL behind it. NULL when memory is out. */
char *ot_arena_copy(struct ot_arena *arena, const char *bytes, size_t len);

void ot_arena_release(struct ot_arena *arena);

#endif
