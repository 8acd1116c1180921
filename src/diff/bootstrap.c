#include "diff/bootstrap.h"

#include <stdlib.h>

enum { LEFT_OUT = OT_BOOTSTRAP_RESAMPLES / 40 - 1 /* changes beyond either end of an interval */ };

/* splitmix64 (Steele, Lea, Flood 2014): small, and good enough to draw runs. */
struct dice {
    uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Below `n`, each number as likely as the others: what would favour the small ones is rolled
 * again. */
static size_t roll_below(struct dice *dice, size_t n)
{
    uint64_t unfair = (UINT64_MAX % n + 1) % n;
    uint64_t rolled;
    do
        rolled = roll(dice);
    while (rolled > UINT64_MAX - unfair);
    return (size_t)(rolled % n);
}

/* The runs are few, and most often as good as sorted. */
static void sort_order(struct ot_diff_sample sample, uint32_t *order)
{
    for (size_t i = 0; i < sample.n; i++) {
        size_t at = i;
        while (at > 0 && sample.values[order[at - 1]] > sample.values[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint32_t)i;
    }
}

static int64_t middle(int64_t a, int64_t b)
{
    ot_diff_sum both = (ot_diff_sum)a + b;
    return (int64_t)(both / 2 - (both % 2 < 0));
}

int64_t ot_diff_change_between(int64_t before, int64_t after)
{
    int64_t change;
    if (!__builtin_sub_overflow(after, before, &change))
        return change;
    return after > before ? INT64_MAX : INT64_MIN;
}

int64_t ot_diff_median(struct ot_diff_sample sample, uint32_t *order)
{
    sort_order(sample, order);
    return middle(sample.values[order[(sample.n - 1) / 2]], sample.values[order[sample.n / 2]]);
}

/* The value at a place of a resample, whose runs come as often as they were drawn. */
static size_t order_at(const uint32_t *order, const uint16_t *draws, size_t place)
{
    size_t i = 0;
    for (size_t seen = draws[order[0]]; seen <= place; seen += draws[order[i]])
        i++;
    return i;
}

static int64_t drawn_median(struct ot_diff_sample sample, const uint32_t *order,
                            const uint16_t *draws)
{
    size_t low = order_at(order, draws, (sample.n - 1) / 2);
    size_t high = sample.n % 2 ? low : order_at(order, draws, sample.n / 2);
    return middle(sample.values[order[low]], sample.values[order[high]]);
}

static void draw(struct ot_bootstrap *bootstrap, int side, struct dice *dice)
{
    size_t n = bootstrap->n[side];
    for (size_t k = 0; k < OT_BOOTSTRAP_RESAMPLES; k++) {
        for (size_t i = 0; i < n; i++)
            bootstrap->draws[side][k * n + roll_below(dice, n)]++;
    }
}

int ot_bootstrap_init(struct ot_bootstrap *bootstrap, const size_t n_runs[OT_DIFF_SIDES],
                      struct ot_err *err)
{
    struct dice dice = {.state = 1};
    size_t most = n_runs[0] > n_runs[1] ? n_runs[0] : n_runs[1];
    bootstrap->changes = malloc(OT_BOOTSTRAP_RESAMPLES * sizeof(*bootstrap->changes));
    bootstrap->order = malloc(most * sizeof(*bootstrap->order));
    bootstrap->tries = malloc((n_runs[0] + n_runs[1]) * sizeof(*bootstrap->tries));
    bool has_room = bootstrap->changes && bootstrap->order && bootstrap->tries;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        bootstrap->n[side] = n_runs[side];
        bootstrap->draws[side] =
            calloc(OT_BOOTSTRAP_RESAMPLES * n_runs[side], sizeof(*bootstrap->draws[side]));
        has_room &= bootstrap->draws[side] != NULL;
    }
    if (!has_room)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for comparing %zu runs",
                          n_runs[0] + n_runs[1]);
    for (int side = 0; side < OT_DIFF_SIDES; side++)
        draw(bootstrap, side, &dice);
    return OT_OK;
}

/* The changes of the medians, in the order of the draws. */
static void resample(struct ot_bootstrap *bootstrap,
                     const struct ot_diff_sample samples[OT_DIFF_SIDES])
{
    int64_t *changes = bootstrap->changes;
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        size_t n = bootstrap->n[side];
        sort_order(samples[side], bootstrap->order);
        for (size_t k = 0; k < OT_BOOTSTRAP_RESAMPLES; k++) {
            int64_t median =
                drawn_median(samples[side], bootstrap->order, bootstrap->draws[side] + k * n);
            changes[k] =
                side == OT_DIFF_BASELINE ? median : ot_diff_change_between(changes[k], median);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void ot_bootstrap_interval(struct ot_bootstrap *bootstrap,
                           const struct ot_diff_sample samples[OT_DIFF_SIDES],
                           struct ot_diff_interval *ret_interval)
{
    int64_t *changes = bootstrap->changes;
    resample(bootstrap, samples);
    qsort(changes, OT_BOOTSTRAP_RESAMPLES, sizeof(*changes), by_value);
    *ret_interval = (struct ot_diff_interval){
        .is_there = true,
        .low = changes[LEFT_OUT],
        .high = changes[OT_BOOTSTRAP_RESAMPLES - 1 - LEFT_OUT],
    };
}

/* As ot_diff_is_evident() of the interval, without sorting for it. */
static bool is_clear(const struct ot_bootstrap *bootstrap)
{
    size_t n_not_above = 0;
    size_t n_not_below = 0;
    for (size_t k = 0; k < OT_BOOTSTRAP_RESAMPLES; k++) {
        n_not_above += bootstrap->changes[k] <= 0;
        n_not_below += bootstrap->changes[k] >= 0;
    }
    return n_not_above <= LEFT_OUT || n_not_below <= LEFT_OUT;
}

unsigned ot_bootstrap_chance(struct ot_bootstrap *bootstrap)
{
    enum { TRIES = 1000 };
    struct dice dice = {.state = 2};
    int64_t *values = bootstrap->tries;
    const struct ot_diff_sample samples[OT_DIFF_SIDES] = {
        {values, bootstrap->n[0]},
        {values + bootstrap->n[0], bootstrap->n[1]},
    };
    unsigned n_clear = 0;
    for (int try = 0; try < TRIES; try++) {
        for (size_t i = 0; i < bootstrap->n[0] + bootstrap->n[1]; i++)
            values[i] = (int64_t)(roll(&dice) >> 2);
        resample(bootstrap, samples);
        n_clear += is_clear(bootstrap);
    }
    return n_clear;
}

void ot_bootstrap_release(struct ot_bootstrap *bootstrap)
{
    if (!bootstrap)
        return;
    free(bootstrap->changes);
    free(bootstrap->order);
    free(bootstrap->tries);
    for (int side = 0; side < OT_DIFF_SIDES; side++)
        free(bootstrap->draws[side]);
    *bootstrap = (struct ot_bootstrap){0};
}
