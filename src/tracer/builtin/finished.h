/* finished.h: a queue of chunks, the first finished first. In memory that a forked child does not
 * inherit; the caller locks. */
#ifndef OT_TRACER_BUILTIN_FINISHED_H
#define OT_TRACER_BUILTIN_FINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ot_finished {
    uint32_t *indexes; /* a ring of `cap`, a power of two */
    size_t first;
    size_t count;
    size_t cap;
};

/* False: no memory; the chunk is then never used again. */
bool ot_finished_put(struct ot_finished *finished, uint32_t index);
bool ot_finished_take(struct ot_finished *finished, uint32_t *ret_index);

#endif
