#include "fold/order.h"

#include <stdlib.h>
#include <string.h>

/* Slice number `b` has to come before `a`, though it stands behind it. */
static inline bool is_wrong(const struct ot_kept *kept, uint32_t a, uint32_t b)
{
    const struct ot_kept *left = &kept[a];
    const struct ot_kept *right = &kept[b];
    if (left->ts_ns != right->ts_ns)
        return left->ts_ns > right->ts_ns;
    if (left->dur_ns != right->dur_ns)
        return left->dur_ns < right->dur_ns;
    return right->comes_last && (!left->comes_last || b > a);
}

static size_t run_end(const struct ot_kept *kept, const uint32_t *order, size_t from, size_t n)
{
    size_t end = from + 1;
    while (end < n && !is_wrong(kept, order[end - 1], order[end]))
        end++;
    return end;
}

/* Merges [0, middle) and [middle, n) of `order`, stably. `spare` has room for `middle`. */
static void merge(const struct ot_kept *kept, uint32_t *order, size_t middle, size_t n,
                  uint32_t *spare)
{
    memcpy(spare, order, middle * sizeof(*spare));
    size_t left = 0;
    size_t right = middle;
    size_t to = 0;
    while (left < middle && right < n) {
        bool takes_right = is_wrong(kept, spare[left], order[right]);
        order[to++] = takes_right ? order[right++] : spare[left++];
    }
    memcpy(&order[to], &spare[left], (middle - left) * sizeof(*spare));
}

/* A trace is made of a few sorted runs: kinds are written one after another. Natural merge sort
 * takes n log(runs) steps. */
static void sort(const struct ot_kept *kept, uint32_t *order, size_t n, uint32_t *spare)
{
    bool is_sorted = n < 2;
    while (!is_sorted) {
        size_t first = 0;
        is_sorted = true;
        while (first < n) {
            size_t middle = run_end(kept, order, first, n);
            if (middle == n)
                break;
            size_t end = run_end(kept, order, middle, n);
            merge(kept, &order[first], middle - first, end - first, spare);
            is_sorted = first == 0 && end == n;
            first = end;
        }
        is_sorted |= first == 0;
    }
}

static void place(struct ot_intake *intake, uint32_t *order)
{
    size_t n = 0;
    for (size_t g = 0; g < intake->sites.n_groups; g++) {
        struct ot_group *group = &intake->sites.groups[g];
        group->first = n;
        n += group->n_slices;
        group->n_slices = 0;
    }
    for (size_t i = 0; i < intake->n_kept; i++) {
        struct ot_group *group =
            &intake->sites.groups[intake->sites.of[intake->kept[i].site].group];
        order[group->first + group->n_slices++] = (uint32_t)i;
    }
}

int ot_order_slices(struct ot_intake *intake, uint32_t **ret_order, struct ot_err *err)
{
    size_t largest = 0;
    for (size_t g = 0; g < intake->sites.n_groups; g++) {
        if (intake->sites.groups[g].n_slices > largest)
            largest = intake->sites.groups[g].n_slices;
    }
    uint32_t *order = malloc((intake->n_kept + 1) * sizeof(*order));
    uint32_t *spare = malloc((largest + 1) * sizeof(*spare));
    if (!order || !spare) {
        free(order);
        free(spare);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for ordering slices");
    }
    place(intake, order);
    for (size_t g = 0; g < intake->sites.n_groups; g++)
        sort(intake->kept, &order[intake->sites.groups[g].first], intake->sites.groups[g].n_slices,
             spare);
    free(spare);
    *ret_order = order;
    return OT_OK;
}
