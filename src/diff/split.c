#include "diff/split.h"

__extension__ typedef unsigned __int128 wide;

/* n * value / (2 * n_calls), as a whole number and what is left of it, below 2 * n_calls. */
struct half {
    wide whole;
    wide rest;
};

static struct half half_of(uint64_t n, struct ot_diff_amount amount)
{
    wide divided = (wide)n * (uint64_t)amount.value;
    wide divisor = (wide)(uint64_t)amount.n_calls * 2;
    return (struct half){divided / divisor, divided % divisor};
}

/* n times the mean of both values per call. Below 2^63 all numbers are, so nothing here overflows:
 * the rests are less than 2^64, and each times calls less than 2^127. */
static wide times_mean(uint64_t n, struct ot_diff_amount a, struct ot_diff_amount b)
{
    struct half of_a = half_of(n, a);
    struct half of_b = half_of(n, b);
    wide one = (wide)(uint64_t)a.n_calls * (uint64_t)b.n_calls * 2;
    wide rest = of_a.rest * (uint64_t)b.n_calls + of_b.rest * (uint64_t)a.n_calls;
    wide whole = of_a.whole + of_b.whole + rest / one;
    rest %= one;
    wide left = one - rest;
    return whole + (rest > left || (rest == left && whole % 2 == 1));
}

void ot_diff_split(struct ot_diff_amount before, struct ot_diff_amount after,
                   ot_diff_sum *ret_calls_part, ot_diff_sum *ret_value_part)
{
    ot_diff_sum change = (ot_diff_sum)after.value - before.value;
    *ret_calls_part = change;
    if (before.n_calls > 0 && after.n_calls > 0) {
        int64_t more = after.n_calls - before.n_calls;
        wide part = times_mean(more < 0 ? (uint64_t)-more : (uint64_t)more, before, after);
        *ret_calls_part = more < 0 ? -(ot_diff_sum)part : (ot_diff_sum)part;
    }
    *ret_value_part = change - *ret_calls_part;
}
