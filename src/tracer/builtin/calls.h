/* calls.h: open calls, which are also what PyTorch keeps for us between start and end.
 *
 * The start callback returns an at::ObserverContext, which PyTorch hands to the end callback and
 * then deletes. Ours is a slot on a stack per thread with what its end will need, and its virtual
 * destructor does nothing. Slots are never unmapped, and they do not lie in memory that a forked
 * child finds zeroed, since PyTorch calls through them.
 *
 * Who ends a call that is not the newest of its thread, on whichever thread, marks the slot as
 * done; the owner takes such slots off when it meets them. A stack is blocks of a page; the last
 * slot of each is never used, and its `span` of zero makes every comparison with it fail.
 */
#ifndef OT_TRACER_BUILTIN_CALLS_H
#define OT_TRACER_BUILTIN_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct ot_process;

struct ot_call {
    const void *vtable;   /* of at::ObserverContext: must come first */
    uint64_t exit_word;   /* of its record, without ticks; 0 once it is done */
    uint64_t entry_ticks; /* not of the base */
    uint64_t span;        /* ticks that fit into a record; 0 in a block's last slot */
};

enum { OT_CALLS_BLOCK_BYTES = 4096 };

struct ot_call_block {
    uint64_t nonce;  /* of the process that its calls began in */
    uint32_t thread; /* number of the thread that they began on */
    uint32_t reserved;
    struct ot_call_block *below; /* NULL: the first of its stack */
    struct ot_call_block *above; /* kept for when it is needed again */
    struct ot_call calls[OT_CALLS_BLOCK_BYTES / sizeof(struct ot_call) - 1];
};
_Static_assert(sizeof(struct ot_call_block) == OT_CALLS_BLOCK_BYTES, "a block is found by address");

_Static_assert(offsetof(struct ot_call_block, calls) == sizeof(struct ot_call), "one slot's size");

enum { OT_CALLS_PER_BLOCK = sizeof(((struct ot_call_block *)0)->calls) / sizeof(struct ot_call) };

/* Contexts of calls that have no slot: one that was counted as lost, one that needs no exit. */
extern struct ot_call ot_call_lost __attribute__((visibility("hidden")));
extern struct ot_call ot_call_ignored __attribute__((visibility("hidden")));

static inline struct ot_call_block *ot_call_block_of(const void *call)
{
    return (void *)((uintptr_t)call & ~(uintptr_t)(OT_CALLS_BLOCK_BYTES - 1));
}

/* The `top` of a stack without calls is the place in front of its first block's first slot. */
static inline struct ot_call *ot_calls_bottom(struct ot_call_block *block)
{
    return (struct ot_call *)(void *)block;
}

/* The empty stack of a thread. NULL: no memory. The guard is taken, the lock is not. */
struct ot_call *ot_calls_new(struct ot_process *process);

/* The top once calls that are done are taken off. Needs neither guard nor lock. */
struct ot_call *ot_calls_trim(struct ot_call *top);

/* The top to push on where the block is full, which ot_calls_trim() could not help. NULL: no
 * memory. The guard is taken, the lock is not. */
struct ot_call *ot_calls_grow(struct ot_process *process, struct ot_call *top);

uint32_t ot_calls_count(struct ot_call *top);

#endif
