/* distinct.h: the inputs without those that are the same file or folder as one before, under
 * whatever name. What cannot be looked at stays, for the reader to complain of. */
#ifndef OT_CLI_DISTINCT_H
#define OT_CLI_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ot_distinct {
    const char **inputs; /* in the order given; the array alone is owned */
    size_t n;
};

/* Says each that is left out in a line on stderr. Release it also after a failure. */
int ot_distinct_init(struct ot_distinct *distinct, const char *verb, const char *const *inputs,
                     size_t n_inputs, struct ot_err *err);

/* Leaves out input `twin`, which is the same as the earlier input `first`, with that line; of the
 * two one stays that can be read again. The caller closes the gaps in the end. */
void ot_distinct_drop(struct ot_distinct *distinct, const char *verb, size_t twin, size_t first);

/* Returns whether there were any. */
bool ot_distinct_close_gaps(struct ot_distinct *distinct);

void ot_distinct_release(struct ot_distinct *distinct);

#endif
