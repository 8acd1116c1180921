/* sum.h: sums that meet their limit instead of overflowing. */
#ifndef OT_BASE_SUM_H
#define OT_BASE_SUM_H

#include <stdint.h>

/* Adds what is not negative. Returns 1 if the sum met INT64_MAX, where it stays; 0 otherwise. */
static inline unsigned ot_sum_add(int64_t *sum, int64_t more)
{
    if (!__builtin_add_overflow(*sum, more, sum))
        return 0;
    *sum = INT64_MAX;
    return 1;
}

#endif
