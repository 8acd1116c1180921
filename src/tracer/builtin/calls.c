#include "tracer/builtin/calls.h"

#include <stddef.h>
#include <sys/mman.h>

#include "base/oplog.h"
#include "tracer/builtin/process.h"

static void do_nothing(void *context)
{
    (void)context;
}

/* Itanium C++ ABI 2.5: a class's pointer goes behind the offset to the top and the type; a virtual
 * destructor has two slots, of which the second one also frees. */
static const struct {
    ptrdiff_t offset_to_top;
    const void *type;
    void (*destructors[2])(void *);
} context_class = {0, NULL, {do_nothing, do_nothing}};

struct ot_call ot_call_lost = {.vtable = context_class.destructors};
struct ot_call ot_call_ignored = {.vtable = context_class.destructors};

/* What an exit word is not while the slot waits for its call: a signal handler may come between its
 * being taken and its being filled, and must not take it for one that is done. */
static const uint64_t not_done = 1;

enum { BLOCKS_AT_ONCE = 16 };

static bool map_blocks(struct ot_process *process)
{
    struct ot_call_block *blocks = mmap(NULL, BLOCKS_AT_ONCE * sizeof(*blocks),
                                        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (blocks == MAP_FAILED)
        return false;
    for (int i = 0; i < BLOCKS_AT_ONCE; i++) {
        blocks[i].above = process->idle_blocks;
        process->idle_blocks = &blocks[i];
    }
    return true;
}

static struct ot_call_block *take_block(struct ot_process *process)
{
    pthread_mutex_lock(&process->lock);
    struct ot_call_block *block = NULL;
    if (process->idle_blocks || map_blocks(process)) {
        block = process->idle_blocks;
        process->idle_blocks = block->above;
    }
    pthread_mutex_unlock(&process->lock);
    if (!block)
        return NULL;
    block->nonce = process->nonce;
    block->below = block->above = NULL;
    for (int i = 0; i < OT_CALLS_PER_BLOCK; i++) {
        block->calls[i].vtable = context_class.destructors;
        block->calls[i].exit_word = not_done;
        block->calls[i].span = UINT64_C(1) << OT_OPLOG_TICK_BITS;
    }
    block->calls[OT_CALLS_PER_BLOCK - 1].span = 0;
    return block;
}

struct ot_call *ot_calls_new(struct ot_process *process)
{
    struct ot_call_block *block = take_block(process);
    return block ? ot_calls_bottom(block) : NULL;
}

struct ot_call *ot_calls_trim(struct ot_call *top)
{
    for (;;) {
        struct ot_call_block *block = ot_call_block_of(top);
        if (top == ot_calls_bottom(block)) {
            if (!block->below)
                return top;
            top = &block->below->calls[OT_CALLS_PER_BLOCK - 2];
        } else if (__atomic_load_n(&top->exit_word, __ATOMIC_ACQUIRE) == 0) {
            top->exit_word = not_done;
            top--;
        } else {
            return top;
        }
    }
}

static bool is_done(const struct ot_call_block *block)
{
    for (int i = 0; i < OT_CALLS_PER_BLOCK - 1; i++) {
        if (__atomic_load_n(&block->calls[i].exit_word, __ATOMIC_ACQUIRE) != 0)
            return false;
    }
    return true;
}

/* Calls that overlap without end (one begins before the other ends) never free the top of the
 * stack. All blocks below the highest are full, and where all of one's calls are done it is given
 * to whoever needs one next: PyTorch may still delete its contexts, which does nothing. */
static void take_out_done(struct ot_process *process, struct ot_call_block *highest)
{
    struct ot_call_block *above = highest;
    while (above->below) {
        struct ot_call_block *below = above->below;
        if (!is_done(below)) {
            above = below;
            continue;
        }
        above->below = below->below;
        if (below->below)
            below->below->above = above;
        pthread_mutex_lock(&process->lock);
        below->above = process->idle_blocks;
        process->idle_blocks = below;
        pthread_mutex_unlock(&process->lock);
    }
}

struct ot_call *ot_calls_grow(struct ot_process *process, struct ot_call *top)
{
    struct ot_call_block *block = ot_call_block_of(top);
    take_out_done(process, block);
    if (!block->above) {
        struct ot_call_block *above = take_block(process);
        if (!above)
            return NULL;
        above->below = block;
        block->above = above;
    }
    block->above->thread = block->thread; /* the stack may have had another owner before */
    return ot_calls_bottom(block->above);
}

uint32_t ot_calls_count(struct ot_call *top)
{
    uint32_t count = 0;
    for (struct ot_call_block *block = ot_call_block_of(top); block; block = block->below) {
        for (; top != ot_calls_bottom(block); top--)
            count += __atomic_load_n(&top->exit_word, __ATOMIC_RELAXED) != 0;
        if (block->below)
            top = &block->below->calls[OT_CALLS_PER_BLOCK - 2];
    }
    return count;
}
