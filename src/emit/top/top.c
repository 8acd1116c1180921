#include "emit/top/top.h"

#include <stdlib.h>

const char *const ot_top_sort_names[OT_TOP_N_SORTS] = {
    [OT_TOP_SELF] = "self",
    [OT_TOP_CALLS] = "calls",
    [OT_TOP_INCLUSIVE] = "inclusive",
    [OT_TOP_MEAN] = "mean",
};

const char *const ot_top_by_names[OT_TOP_N_BY] = {
    [OT_TOP_OPERATORS] = "operator",
    [OT_TOP_ANNOTATIONS] = "annotation",
    [OT_TOP_THREADS] = "thread",
};

static int by_number(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

/* What makes the same rows come in the same order whoever asks. */
static int by_name(const struct ot_top_row *a, const struct ot_top_row *b)
{
    int order = ot_text_compare(a->name, b->name);
    if (order == 0)
        order = ot_text_compare(a->host, b->host);
    if (order == 0)
        order = (a->pid > b->pid) - (a->pid < b->pid);
    return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static int by_self(const void *a, const void *b)
{
    const struct ot_top_row *x = a;
    const struct ot_top_row *y = b;
    int order = by_number(x->self_ns, y->self_ns);
    return order ? order : by_name(x, y);
}

static int by_calls(const void *a, const void *b)
{
    const struct ot_top_row *x = a;
    const struct ot_top_row *y = b;
    int order = by_number(x->n_calls, y->n_calls);
    return order ? order : by_name(x, y);
}

static int by_inclusive(const void *a, const void *b)
{
    const struct ot_top_row *x = a;
    const struct ot_top_row *y = b;
    int order = by_number(x->inclusive_ns, y->inclusive_ns);
    return order ? order : by_name(x, y);
}

static double mean(const struct ot_top_row *row)
{
    return row->n_calls ? (double)row->inclusive_ns / (double)row->n_calls : 0;
}

static int by_mean(const void *a, const void *b)
{
    double x = mean(a);
    double y = mean(b);
    int order = (x < y) - (x > y);
    return order ? order : by_name(a, b);
}

void ot_top_sort(struct ot_top *top, enum ot_top_sort sort)
{
    static int (*const orders[])(const void *, const void *) = {
        [OT_TOP_SELF] = by_self,
        [OT_TOP_CALLS] = by_calls,
        [OT_TOP_INCLUSIVE] = by_inclusive,
        [OT_TOP_MEAN] = by_mean,
    };
    for (size_t i = 0; i < OT_TOP_N_BY; i++) {
        if (top->by[i].n_rows)
            qsort(top->by[i].rows, top->by[i].n_rows, sizeof(*top->by[i].rows), orders[sort]);
    }
}
