/* split.h: how much of a change is more calls, and how much is costlier ones. */
#ifndef OT_DIFF_SPLIT_H
#define OT_DIFF_SPLIT_H

#include <stdint.h>

#include "diff/diff.h"

/* What n_calls together have: time, bytes. None is negative. */
struct ot_diff_amount {
    int64_t n_calls;
    int64_t value;
};

/* The calls' part is the change in calls times the mean of the two values per call, rounded half to
 * even; the value's part is the rest, so that both add up to the change. Where a side has no calls
 * all of the change is the calls'. */
void ot_diff_split(struct ot_diff_amount before, struct ot_diff_amount after,
                   ot_diff_sum *ret_calls_part, ot_diff_sum *ret_value_part);

#endif
