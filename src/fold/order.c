#include "fold/order.h"

#include <stdlib.h>

#include "base/natural_sort.h"

/* Slice number `b` has to come before `a`, though it stands behind it. */
static inline bool is_wrong(const void *items, uint32_t a, uint32_t b)
{
    const struct ot_kept *kept = items;
    const struct ot_kept *left = &kept[a];
    const struct ot_kept *right = &kept[b];
    if (left->ts_ns != right->ts_ns)
        return left->ts_ns > right->ts_ns;
    if (left->dur_ns != right->dur_ns)
        return left->dur_ns < right->dur_ns;
    return right->comes_last && (!left->comes_last || b > a);
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
        ot_natural_sort(&order[intake->sites.groups[g].first], intake->sites.groups[g].n_slices,
                        spare, is_wrong, intake->kept);
    free(spare);
    *ret_order = order;
    return OT_OK;
}
