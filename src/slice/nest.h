/* nest.h: self times of complete slices.
 *
 * Slices of a track have to come in the order of their ends, as interval messages do. Then a
 * slice's direct children are exactly the earlier slices that start no earlier and that no other
 * slice has claimed; a claimed slice is forgotten. Failed slices have no time and are passed by.
 * For slices that ot_pair made, the result is ot_pair's own self_ns. One thread.
 *
 * What no slice claims has to be kept, as its parent may still come. A track with more than
 * OT_NEST_MAX_UNCLAIMED of them has its oldest ones merged pairwise; a slice that starts inside
 * such a merged pair gets a self time that may be too long, and is counted as uncertain.
 */
#ifndef OT_SLICE_NEST_H
#define OT_SLICE_NEST_H

#include "base/err.h"
#include "model/slice.h"

enum { OT_NEST_MAX_UNCLAIMED = 1 << 20 };

struct ot_nest;

/* NULL when memory is out. */
struct ot_nest *ot_nest_new(void);

/* Sets slice->self_ns. OT_ERR_NOMEM: memory, or too many threads. */
int ot_nest_add(struct ot_nest *nest, struct ot_slice *slice, struct ot_err *err);

uint64_t ot_nest_uncertain(const struct ot_nest *nest);

void ot_nest_free(struct ot_nest *nest);

#endif
