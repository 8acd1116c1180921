/* order.h: the slices that were kept, by group, and in each group as nesting wants them: start
 * ascending, duration descending, then parents first: as the trace wrote them, but what came with
 * its end before all that, the last one first. Private to this folder. */
#ifndef OT_FOLD_ORDER_H
#define OT_FOLD_ORDER_H

#include "fold/intake.h"

/* A malloc'ed array of the numbers of the kept slices; group g's begin at
 * intake->sites.groups[g].first.
 */
int ot_order_slices(struct ot_intake *intake, uint32_t **ret_order, struct ot_err *err);

#endif
