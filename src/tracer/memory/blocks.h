/* blocks.h: which blocks of memory are allocated, and how large they are.
 *
 * PyTorch says how large a block is when it is allocated, but not when it is released. One table
 * serves all threads: blocks are spread over shards with a lock each. Nothing is allocated with
 * malloc, and nothing is shrunk.
 *
 * In a forked child the table is empty and unlocked, whoever held a lock when it was forked: all of
 * it lies in memory that the kernel clears there, or does not hand on. So what a child releases of
 * its parent's is unknown to it, as it is to the child's log, which has no such allocation either.
 */
#ifndef OT_TRACER_MEMORY_BLOCKS_H
#define OT_TRACER_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ot_blocks;

/* NULL, with errno, where the kernel does not give such memory (MADV_WIPEONFORK, Linux 4.14). */
struct ot_blocks *ot_blocks_new(void);

/* Not while another thread uses it. */
void ot_blocks_free(struct ot_blocks *blocks);

/* *ret_total is the sum of all blocks' bytes after it. A block that is there already was released
 * unseen: it is replaced, and the total goes on, as PyTorch's own does. `bytes` is not 0. Returns
 * false, and nothing happened, where there is no memory for the table. */
bool ot_blocks_put(struct ot_blocks *blocks, const void *block, int64_t bytes, int64_t *ret_total);

/* The bytes of the block, which is released now; 0 for one that was never put. */
int64_t ot_blocks_take(struct ot_blocks *blocks, const void *block, int64_t *ret_total);

#endif
