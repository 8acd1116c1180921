#include "tracer/memory/blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { SHARDS = 64, FIRST_SLOTS = 256 /* a page */ };

struct slot {
    const void *block; /* NULL: free */
    int64_t bytes;
};

/* Open addressing; never more than half full. A lock that is all zero is an open one
 * (PTHREAD_MUTEX_INITIALIZER, in glibc and in musl), which is what a forked child finds. */
struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct slot *slots;
    size_t n_slots; /* a power of two, 0 before the first block */
    size_t n_used;
};

struct ot_blocks {
    struct shard shards[SHARDS];
    _Atomic int64_t total;
};

static void *map(size_t size, int fork_advice)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (madvise(memory, size, fork_advice) == 0)
        return memory;
    int saved = errno;
    munmap(memory, size);
    errno = saved;
    return NULL;
}

struct ot_blocks *ot_blocks_new(void)
{
    return map(sizeof(struct ot_blocks), MADV_WIPEONFORK);
}

void ot_blocks_free(struct ot_blocks *blocks)
{
    if (!blocks)
        return;
    for (size_t i = 0; i < SHARDS; i++) {
        if (blocks->shards[i].slots)
            munmap(blocks->shards[i].slots, blocks->shards[i].n_slots * sizeof(struct slot));
    }
    munmap(blocks, sizeof(*blocks));
}

/* Blocks are aligned to 64 bytes as a rule. The upper half chooses the shard, the lower the slot.
 */
static uint64_t hash(const void *block)
{
    return ((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct shard *lock_shard(struct ot_blocks *blocks, uint64_t hash)
{
    struct shard *shard = &blocks->shards[hash >> 58];
    pthread_mutex_lock(&shard->lock);
    return shard;
}
_Static_assert(SHARDS == 1 << (64 - 58), "the upper six bits choose the shard");

static size_t home_of(const struct shard *shard, const void *block)
{
    return (hash(block) >> 20) & (shard->n_slots - 1);
}

/* Where it is, or the free slot where it belongs. */
static struct slot *find(const struct shard *shard, const void *block)
{
    size_t at = home_of(shard, block);
    while (shard->slots[at].block && shard->slots[at].block != block)
        at = (at + 1) & (shard->n_slots - 1);
    return &shard->slots[at];
}

static bool make_room(struct shard *shard)
{
    if (2 * (shard->n_used + 1) <= shard->n_slots)
        return true;
    struct shard grown = {.n_slots = shard->n_slots > 0 ? 2 * shard->n_slots : FIRST_SLOTS};
    grown.slots = map(grown.n_slots * sizeof(struct slot), MADV_DONTFORK);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < shard->n_slots; i++) {
        if (shard->slots[i].block)
            *find(&grown, shard->slots[i].block) = shard->slots[i];
    }
    if (shard->slots)
        munmap(shard->slots, shard->n_slots * sizeof(struct slot));
    shard->slots = grown.slots;
    shard->n_slots = grown.n_slots;
    return true;
}

/* Moves back what lies behind the hole for want of room, so that searches still end at a free
 * slot. */
static void close_hole(struct shard *shard, size_t hole)
{
    size_t mask = shard->n_slots - 1;
    for (size_t at = (hole + 1) & mask; shard->slots[at].block; at = (at + 1) & mask) {
        size_t home = home_of(shard, shard->slots[at].block);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            shard->slots[hole] = shard->slots[at];
            hole = at;
        }
    }
    shard->slots[hole] = (struct slot){0};
}

bool ot_blocks_put(struct ot_blocks *blocks, const void *block, int64_t bytes, int64_t *ret_total)
{
    struct shard *shard = lock_shard(blocks, hash(block));
    bool has_room = make_room(shard);
    if (has_room) {
        struct slot *slot = find(shard, block);
        shard->n_used += slot->block == NULL;
        *slot = (struct slot){.block = block, .bytes = bytes};
        *ret_total = atomic_fetch_add(&blocks->total, bytes) + bytes;
    }
    pthread_mutex_unlock(&shard->lock);
    return has_room;
}

int64_t ot_blocks_take(struct ot_blocks *blocks, const void *block, int64_t *ret_total)
{
    int64_t bytes = 0;
    struct shard *shard = lock_shard(blocks, hash(block));
    struct slot *slot = shard->n_slots > 0 ? find(shard, block) : NULL;
    if (slot && slot->block) {
        bytes = slot->bytes;
        close_hole(shard, (size_t)(slot - shard->slots));
        shard->n_used--;
        *ret_total = atomic_fetch_sub(&blocks->total, bytes) - bytes;
    }
    pthread_mutex_unlock(&shard->lock);
    return bytes;
}
