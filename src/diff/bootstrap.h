/* bootstrap.h: medians, and how far the change of a median can be told from chance.
 *
 * Percentile bootstrap: both sides are drawn anew from their own runs, with replacement, and the
 * change of the medians taken each time; the interval is what the middle 95 % of these changes
 * span. All operators are judged by the same draws, which a fixed seed makes: the same input gives
 * the same bytes, whatever else is compared. One thread.
 */
#ifndef OT_DIFF_BOOTSTRAP_H
#define OT_DIFF_BOOTSTRAP_H

#include <stdint.h>

#include "base/err.h"
#include "diff/diff.h"

enum { OT_BOOTSTRAP_RESAMPLES = 2000, OT_BOOTSTRAP_MIN_RUNS = 3 };

/* A side's runs. */
struct ot_diff_sample {
    const int64_t *values;
    size_t n;
};

struct ot_bootstrap {
    size_t n[OT_DIFF_SIDES];
    uint16_t *draws[OT_DIFF_SIDES]; /* per resample, how often each run was drawn */
    int64_t *changes;               /* of the medians, per resample */
    uint32_t *order;                /* of a side's runs, by value */
    int64_t *tries;                 /* for ot_bootstrap_chance() */
};

/* The change from one value to another: where 64 bits do not hold it, the nearest that they do. */
int64_t ot_diff_change_between(int64_t before, int64_t after);

/* Of an even number the mean of the middle two, rounded down. `n` is 1 or more;
 * `order` has room for that many and tells the values in ascending order. */
int64_t ot_diff_median(struct ot_diff_sample sample, uint32_t *order);

/* Release it also after a failure. */
int ot_bootstrap_init(struct ot_bootstrap *bootstrap, const size_t n_runs[OT_DIFF_SIDES],
                      struct ot_err *err);

/* As many values a side as the bootstrap was made for. */
void ot_bootstrap_interval(struct ot_bootstrap *bootstrap,
                           const struct ot_diff_sample samples[OT_DIFF_SIDES],
                           struct ot_diff_interval *ret_interval);

/* Of how many in 1000 comparisons where nothing has changed the interval is clear of 0 all the
 * same: tried out, on runs that are drawn evenly. With few runs it is far more than 5 %. */
unsigned ot_bootstrap_chance(struct ot_bootstrap *bootstrap);

void ot_bootstrap_release(struct ot_bootstrap *bootstrap);

#endif
