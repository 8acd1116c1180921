/* categories.h: what torch.profiler's categories are. */
#ifndef OT_INGEST_KINETO_CATEGORIES_H
#define OT_INGEST_KINETO_CATEGORIES_H

#include <stdbool.h>

#include "base/text.h"

struct ot_kineto_category {
    struct ot_text name;
    int backend;
    bool has_steps; /* `ProfilerStep#N` was written into it, though it is an annotation */
};

/* The whole name is compared. NULL for one that is not in the table. Any thread. */
const struct ot_kineto_category *ot_kineto_category_of(struct ot_text name);

/* Of a slice that has this category and name. */
int ot_kineto_backend(const struct ot_kineto_category *category, struct ot_text name);

#endif
