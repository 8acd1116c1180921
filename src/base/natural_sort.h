/* natural_sort.h: sorts numbers of items that are made of a few sorted runs.
 *
 * A natural merge sort, stable, in n log(runs) steps: traces are written run by run. `is_wrong`
 * says that item `b` has to come before `a`, though its number stands behind. It is inlined where
 * it is named in the call. Any thread.
 */
#ifndef OT_BASE_NATURAL_SORT_H
#define OT_BASE_NATURAL_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef bool ot_is_wrong_fn(const void *items, uint32_t a, uint32_t b);

static inline __attribute__((always_inline)) size_t ot_natural_run_end(const uint32_t *order,
                                                                       size_t from, size_t n,
                                                                       ot_is_wrong_fn *is_wrong,
                                                                       const void *items)
{
    size_t end = from + 1;
    while (end < n && !is_wrong(items, order[end - 1], order[end]))
        end++;
    return end;
}

/* Merges [0, middle) and [middle, n) of `order`. `spare` has room for `middle`. */
static inline __attribute__((always_inline)) void ot_natural_merge(uint32_t *order, size_t middle,
                                                                   size_t n, uint32_t *spare,
                                                                   ot_is_wrong_fn *is_wrong,
                                                                   const void *items)
{
    memcpy(spare, order, middle * sizeof(*spare));
    size_t left = 0;
    size_t right = middle;
    size_t to = 0;
    while (left < middle && right < n) {
        bool takes_right = is_wrong(items, spare[left], order[right]);
        order[to++] = takes_right ? order[right++] : spare[left++];
    }
    memcpy(&order[to], &spare[left], (middle - left) * sizeof(*spare));
}

/* `spare` has room for `n`. */
static inline __attribute__((always_inline)) void ot_natural_sort(uint32_t *order, size_t n,
                                                                  uint32_t *spare,
                                                                  ot_is_wrong_fn *is_wrong,
                                                                  const void *items)
{
    bool is_sorted = n < 2;
    while (!is_sorted) {
        size_t first = 0;
        is_sorted = true;
        while (first < n) {
            size_t middle = ot_natural_run_end(order, first, n, is_wrong, items);
            if (middle == n)
                break;
            size_t end = ot_natural_run_end(order, middle, n, is_wrong, items);
            ot_natural_merge(&order[first], middle - first, end - first, spare, is_wrong, items);
            is_sorted = first == 0 && end == n;
            first = end;
        }
        is_sorted |= first == 0;
    }
}

#endif
