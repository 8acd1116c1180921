#include "fold/spans.h"

#include <stdlib.h>

#include "base/vec.h"
#include "slice/ns.h"

int ot_spans_add(struct ot_spans *spans, uint32_t owner, int64_t start_ns, int64_t end_ns,
                 struct ot_err *err)
{
    if (spans->n_items) {
        struct ot_span *last = &spans->items[spans->n_items - 1];
        if (last->owner == owner && start_ns >= last->start_ns && start_ns <= last->end_ns) {
            if (end_ns > last->end_ns)
                last->end_ns = end_ns;
            return OT_OK;
        }
    }
    if (!ot_vec_reserve(&spans->items, &spans->cap, spans->n_items + 1, sizeof(*spans->items)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for intervals");
    spans->items[spans->n_items++] = (struct ot_span){owner, start_ns, end_ns};
    return OT_OK;
}

static int compare(const void *a, const void *b)
{
    const struct ot_span *span_a = a;
    const struct ot_span *span_b = b;
    if (span_a->owner != span_b->owner)
        return span_a->owner < span_b->owner ? -1 : 1;
    return (span_a->start_ns > span_b->start_ns) - (span_a->start_ns < span_b->start_ns);
}

void ot_spans_sum(struct ot_spans *spans, void (*each)(void *context, uint32_t owner, int64_t ns),
                  void *context)
{
    if (spans->n_items == 0)
        return;
    qsort(spans->items, spans->n_items, sizeof(*spans->items), compare);
    size_t i = 0;
    while (i < spans->n_items) {
        uint32_t owner = spans->items[i].owner;
        int64_t covered_to = INT64_MIN;
        int64_t sum_ns = 0;
        for (; i < spans->n_items && spans->items[i].owner == owner; i++) {
            const struct ot_span *span = &spans->items[i];
            int64_t start_ns = span->start_ns > covered_to ? span->start_ns : covered_to;
            sum_ns = ot_ns_add(sum_ns, ot_ns_between(start_ns, span->end_ns));
            if (span->end_ns > covered_to)
                covered_to = span->end_ns;
        }
        each(context, owner, sum_ns);
    }
}

void ot_spans_release(struct ot_spans *spans)
{
    free(spans->items);
    *spans = (struct ot_spans){0};
}
