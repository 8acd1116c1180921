/* region.h: memory whose content a forked child does not inherit.
 *
 * MADV_WIPEONFORK (Linux 4.14) zeroes it in the child, also after a bare clone(). Where the kernel
 * does not know it (some sandboxes), ot_region_wipes() is false and a fork handler has to do it,
 * which only fork() runs.
 */
#ifndef OT_TRACER_BUILTIN_REGION_H
#define OT_TRACER_BUILTIN_REGION_H

#include <stdbool.h>
#include <stddef.h>

/* Whole zeroed pages, or NULL with errno. */
void *ot_region_new(size_t bytes);
void ot_region_free(void *region, size_t bytes);

bool ot_region_wipes(void);

#endif
