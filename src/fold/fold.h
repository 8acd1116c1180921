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

/* One execution, as it is known once everything is nested. `row` and `parent` are numbers of the
 * population's rows. */
struct ot_fold_slice {
    uint32_t row;
    uint32_t depth;  /* in its lane; 0 is outermost */
    bool has_parent; /* of a call, the call around it; of device work, the operator that it was
                        launched by */
    uint32_t parent;
    int64_t ts_ns; /* since its session's base, as everywhere in the fold */
    int64_t dur_ns;
    int64_t self_ns;
};

struct ot_fold_memory {
    uint32_t device; /* number in the population's `memory` */
    bool has_owner;  /* the innermost operator around it, a number of the population's rows */
    uint32_t owner;
    int64_t vpid; /* of its thread, as in rows */
    uint64_t vtid;
    int64_t ts_ns; /* since its session's base */
    int64_t bytes; /* less than 0: released */
    bool has_total;
    int64_t total_allocated; /* on the device, after it */
};

/* Sees every slice and memory event once, none left out, lane by lane. What it returns ends the
 * fold if it is a failure. */
struct ot_fold_sink {
    void *context;
    int (*slice)(void *context, const struct ot_fold_slice *slice, struct ot_err *err);
    int (*memory)(void *context, const struct ot_fold_memory *memory, struct ot_err *err);
};

struct ot_fold_opts {
    enum ot_fold_depth depth;
    bool recover;    /* of ot_reader_opts */
    bool by_forward; /* backward operators are told apart by what they work for (forward.h), named
                        `NAME <- FORWARD`; OT_ERR_INPUT where the input has not recorded that */
    _Atomic uint64_t *read_bytes; /* of ot_reader_opts */

    /* What is made beside the population, if not NULL; zeroed before, and released by the caller,
     * also after a failure. Both need OT_FOLD_ANALYSIS. */
    struct ot_stacks *stacks;        /* its `opts` are set */
    struct ot_activity *activity;    /* likewise */
    const struct ot_fold_sink *sink; /* NULL: nobody looks; needs OT_FOLD_ANALYSIS */

    void (*tap)(void *context, uint32_t session, const void *bytes, size_t len); /* likewise */
    void *tap_context;
};

/* `ret_format` gets the reader's name for machines: "ctf", "kineto". The population is zeroed
 * before, and released by the caller, also after a failure. */
int ot_fold(const char *const *inputs, size_t n_inputs, const struct ot_fold_opts *opts,
            struct ot_population *pop, const char **ret_format, struct ot_err *err);

#endif
