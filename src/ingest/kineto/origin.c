#include "ingest/kineto/origin.h"

#include <stddef.h>
#include <string.h>

#include "ingest/kineto/categories.h"

/* Of events that are no slices: flows and instants. */
static const char *const other_categories[] = {
    "ac2g",        "async_cpu_to_gpu", "async_gpu",         "fwdbwd",
    "cpu_to_cuda", "forward_backward", "cpu_instant_event",
};

/* Of events that have no category; they begin so. */
static const char *const names[] = {"[memory]", "Iteration Start: ", "Record Window End"};

bool ot_kineto_is_of_torch(struct ot_text category, struct ot_text name)
{
    if (ot_kineto_category_of(category))
        return true;
    for (size_t i = 0; i < sizeof(other_categories) / sizeof(other_categories[0]); i++) {
        if (ot_text_same(category, ot_text_of(other_categories[i])))
            return true;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i]);
        if (name.len >= len && memcmp(name.bytes, names[i], len) == 0)
            return true;
    }
    return false;
}
