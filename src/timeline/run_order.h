/* run_order.h: the order of the records of a run, in memory.
 *
 * By lane first, which takes no comparing; and the records of a lane come in a few stretches that
 * are in order already, which a natural merge sort makes use of. Private to this folder. One
 * thread.
 */
#ifndef OT_TIMELINE_RUN_ORDER_H
#define OT_TIMELINE_RUN_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "timeline/record.h"

/* A zeroed struct is empty. */
struct ot_run_order {
    uint32_t *items; /* numbers of records, in order */
    uint32_t *spare;
    uint32_t *lanes; /* how many records each lane has; all 0 between two uses */
    size_t lanes_cap;
    size_t n_lanes;
};

/* Room for runs of so many records. OT_ERR_NOMEM. */
int ot_run_order_init(struct ot_run_order *order, size_t max_records, struct ot_err *err);

int ot_run_order_sort(struct ot_run_order *order, const struct ot_timeline_record *records,
                      size_t n_records, struct ot_err *err);

void ot_run_order_release(struct ot_run_order *order);

#endif
