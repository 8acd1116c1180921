/* fold.h: from inputs to the population.
 *
 * Opens the inputs with the reader that they need, makes slices of what it yields, nests them, and
 * folds them into a population with all its tables. Memory: without self times none per slice, else
 * about 36 bytes. One thread.
 */
#ifndef OT_FOLD_FOLD_H
#define OT_FOLD_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/activity.h"
#include "stats/population.h"
#include "stats/stacks.h"

enum ot_fold_depth {
    OT_FOLD_SUMS, /* calls, inclusive times, extremes; self times only where they cost nothing */
    OT_FOLD_SELF, /* and self times */
    OT_FOLD_ANALYSIS, /* and the tables beside the rows: devices, memory, tracks, shapes */
};

struct ot_fold_opts {
    enum ot_fold_depth depth;
    bool recover;    /* of ot_reader_opts */
    bool by_forward; /* backward operators are told apart by what they work for (forward.h), named
                        `NAME <- FORWARD`; OT_ERR_INPUT where the input has not recorded that */
    _Atomic uint64_t *read_bytes; /* of ot_reader_opts */

    /* What is made beside the population, if not NULL; zeroed before, and released by the caller,
     * also after a failure. Both need OT_FOLD_ANALYSIS. */
    struct ot_stacks *stacks;     /* its `opts` are set */
    struct ot_activity *activity; /* likewise */

    void (*tap)(void *context, uint32_t session, const void *bytes, size_t len); /* likewise */
    void *tap_context;
};

/* `ret_format` gets the reader's name for machines: "ctf", "kineto". The population is zeroed
 * before, and released by the caller, also after a failure. */
int ot_fold(const char *const *inputs, size_t n_inputs, const struct ot_fold_opts *opts,
            struct ot_population *pop, const char **ret_format, struct ot_err *err);

#endif
