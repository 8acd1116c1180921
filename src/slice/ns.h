/* ns.h: arithmetic on nanoseconds that no timestamp can make overflow. */
#ifndef OT_SLICE_NS_H
#define OT_SLICE_NS_H

#include <stdint.h>

/* Saturates at INT64_MAX; neither argument is negative. */
static inline int64_t ot_ns_add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* From `start` to `end`: 0 if that is backwards, INT64_MAX if it does not fit. */
static inline int64_t ot_ns_between(int64_t start, int64_t end)
{
    int64_t dur;
    if (end <= start)
        return 0;
    return __builtin_sub_overflow(end, start, &dur) ? INT64_MAX : dur;
}

#endif
