/* spans.h: unions of intervals, per owner.
 *
 * Intervals of one owner and one source come in the order of their starts and are joined as they
 * come, so that few are kept; sources (the lanes of a thread, the streams of a device) may overlap.
 * A zeroed struct is empty. One thread.
 */
#ifndef OT_FOLD_SPANS_H
#define OT_FOLD_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ot_span {
    uint32_t owner;
    int64_t start_ns;
    int64_t end_ns;
};

struct ot_spans {
    struct ot_span *items;
    size_t n_items;
    size_t cap;
};

int ot_spans_add(struct ot_spans *spans, uint32_t owner, int64_t start_ns, int64_t end_ns,
                 struct ot_err *err);

/* Calls `each` with every owner that has intervals, ascending, and the length of their union. */
void ot_spans_sum(struct ot_spans *spans, void (*each)(void *context, uint32_t owner, int64_t ns),
                  void *context);

void ot_spans_release(struct ot_spans *spans);

#endif
