/* intake.h: what is kept of an input while it is read, until it can be nested.
 *
 * A slice is kept as 24 bytes: its times, its *site* and one number more. A site is what many
 * slices share: the row of the population that they count in and the *group* that they are ordered
 * and nested in: a lane of a thread, or a device. Private to this folder. One thread.
 */
#ifndef OT_FOLD_INTAKE_H
#define OT_FOLD_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/fold.h"
#include "fold/launches.h"
#include "fold/memory.h"
#include "fold/shapes.h"
#include "fold/sites.h"
#include "model/backend.h"
#include "model/event.h"
#include "model/slice.h"

/* Slices; how many of them can be held is a matter of memory before that. */
enum { OT_KEPT_MAX = INT32_MAX };

struct ot_kept {
    int64_t ts_ns;
    int64_t dur_ns;
    uint32_t site : 29;
    uint32_t comes_last : 1; /* after all that is inside it */
    uint32_t has_phase : 1;  /* said so itself, and need not look around */
    uint32_t is_warm : 1;    /* by that phase */
    uint32_t launch_plus_1;  /* of a call into a runtime, or of a device's work; 0: none */
};

struct ot_intake {
    struct ot_population *pop;
    enum ot_fold_depth depth;
    struct ot_stacks *stacks;        /* filled in with the tables, if not NULL */
    struct ot_activity *activity;    /* likewise */
    const struct ot_fold_sink *sink; /* NULL: nobody looks */
    struct ot_sites sites;
    struct ot_kept *kept;
    size_t n_kept;
    size_t kept_cap;
    struct ot_launches launches;
    struct ot_memory_events memory;
    struct ot_shapes shapes;
    size_t sessions_cap;
};

/* `intake` is zeroed but for `pop`, `depth` and what is made beside, and the population is empty.
 */
int ot_intake_init(struct ot_intake *intake, struct ot_err *err);

/* A slice as a reader yields it. */
int ot_intake_add_slice(struct ot_intake *intake, const struct ot_event *event, struct ot_err *err);

/* A slice that was paired; its texts are ids of the population's names. */
int ot_intake_add_paired(struct ot_intake *intake, const struct ot_slice *slice,
                         struct ot_err *err);

int ot_intake_add_memory(struct ot_intake *intake, const struct ot_event *event,
                         struct ot_err *err);

/* The session's totals, made when they are first asked for; valid until the next call. */
struct ot_session_totals *ot_intake_session(struct ot_intake *intake, uint32_t session,
                                            struct ot_err *err);

void ot_intake_release(struct ot_intake *intake);

#endif
