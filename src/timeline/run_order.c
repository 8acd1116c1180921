#include "timeline/run_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/natural_sort.h"
#include "base/vec.h"

int ot_run_order_init(struct ot_run_order *order, size_t max_records, struct ot_err *err)
{
    order->items = malloc(max_records * sizeof(*order->items));
    order->spare = malloc(max_records * sizeof(*order->spare));
    return order->items && order->spare
               ? OT_OK
               : ot_err_set(err, OT_ERR_NOMEM, "out of memory for sorting slices");
}

static inline bool is_wrong(const void *items, uint32_t a, uint32_t b)
{
    const struct ot_timeline_record *records = items;
    return ot_timeline_before(&records[b], &records[a]);
}

/* For as many lanes as there are by now. */
static int reserve_lanes(struct ot_run_order *order, const struct ot_timeline_record *records,
                         size_t n_records, struct ot_err *err)
{
    for (size_t i = 0; i < n_records; i++) {
        if (records[i].lane >= order->n_lanes)
            order->n_lanes = records[i].lane + (size_t)1;
    }
    size_t cap_before = order->lanes_cap;
    if (!ot_vec_reserve(&order->lanes, &order->lanes_cap, order->n_lanes + 1,
                        sizeof(*order->lanes)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sorting slices");
    memset(order->lanes + cap_before, 0, (order->lanes_cap - cap_before) * sizeof(*order->lanes));
    return OT_OK;
}

int ot_run_order_sort(struct ot_run_order *order, const struct ot_timeline_record *records,
                      size_t n_records, struct ot_err *err)
{
    int code = reserve_lanes(order, records, n_records, err);
    if (code < 0)
        return code;
    uint32_t *lanes = order->lanes;
    for (size_t i = 0; i < n_records; i++)
        lanes[records[i].lane + 1]++;
    for (size_t i = 0; i < order->n_lanes; i++)
        lanes[i + 1] += lanes[i];
    for (size_t i = 0; i < n_records; i++)
        order->items[lanes[records[i].lane]++] = (uint32_t)i;
    size_t first = 0;
    for (size_t i = 0; i < order->n_lanes; i++) {
        ot_natural_sort(&order->items[first], lanes[i] - first, order->spare, is_wrong, records);
        first = lanes[i];
    }
    memset(lanes, 0, (order->n_lanes + 1) * sizeof(*lanes));
    return OT_OK;
}

void ot_run_order_release(struct ot_run_order *order)
{
    free(order->items);
    free(order->spare);
    free(order->lanes);
    *order = (struct ot_run_order){0};
}
