/* population.h: everything that ran, folded into a row per {session, backend, category, host,
 * process, thread, name}.
 *
 * The complete population is kept; what is shown of it is chosen later (view.h, and the queries of
 * the store). Sums saturate at INT64_MAX and the counts then say so. No I/O. One thread.
 *
 * Who reads whole slices also fills in the tables beside the rows: devices, memory, tracks, shapes.
 * A tally needs none of them.
 */
#ifndef OT_STATS_POPULATION_H
#define OT_STATS_POPULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "model/counts.h"
#include "model/label.h"
#include "model/names.h"
#include "model/session.h"
#include "model/slice.h"
#include "model/warnings.h"

/* What an input can make us hold. */
enum { OT_POPULATION_MAX_ROWS = 1 << 21 };

enum { OT_POPULATION_RECENT = 1 << 10 };

/* Failed calls count in n_calls and n_errors and in nothing else. */
struct ot_totals {
    uint64_t n_calls;
    uint64_t n_errors;
    int64_t inclusive_ns;
    int64_t self_ns;
    int64_t min_ns; /* INT64_MAX while no call has succeeded */
    int64_t max_ns; /* 0 while no call has succeeded */
};

struct ot_row {
    int backend;
    uint32_t session;
    uint32_t category; /* id of a name; that of the empty name where there is none */
    uint32_t host;
    uint32_t name;
    int64_t vpid;
    uint64_t vtid;
    struct ot_totals totals;
    uint64_t n_unclosed; /* entries that never ended; they are no calls */

    /* Of an operator: work that its calls launched on devices, memory that they took on their
     * threads, each for the innermost operator; and what of self_ns was in a warm-up. */
    int64_t device_self_ns;
    int64_t device_inclusive_ns;
    int64_t allocated_bytes;
    int64_t warm_self_ns;
    uint64_t n_warm;
    bool synchronizes; /* by its name: rules.h */
    bool compiles;
};

/* A thread {session, host, process, thread} with a slice of the population, or a device's stream.
 */
struct ot_track {
    uint32_t session;
    uint32_t host;
    int64_t vpid;
    uint64_t vtid;
    bool in_population;         /* it has such slices */
    int64_t synchronization_ns; /* unions of intervals */
    int64_t compilation_ns;
};

struct ot_device {
    uint32_t session;
    uint32_t label; /* name id: "0", or what the trace calls it */
    uint64_t n_events;
    int64_t sum_ns;
    int64_t union_ns;
};

struct ot_memory {
    uint32_t session;
    int64_t device_type;
    int64_t device_id;
    uint64_t n_events;
    int64_t allocated_bytes;
    int64_t freed_bytes;
    int64_t peak_bytes;
    int64_t first_ns; /* of its first and last event */
    int64_t last_ns;
};

/* Why device work belongs to no operator; and a sum over both, attributed or not. */
enum ot_unattributed {
    OT_NO_LAUNCH_RECORD,
    OT_GRAPH_LAUNCH,
    OT_OUTSIDE_EVERY_OPERATOR,
    OT_UNATTRIBUTED_COUNT
};

struct ot_device_share {
    uint64_t n_events;
    int64_t device_ns;
};

/* What a session has beside its rows. */
struct ot_session_totals {
    struct ot_session session; /* its texts belong to the population */
    uint32_t host;             /* name id of the session's */
    struct ot_device_share unattributed[OT_UNATTRIBUTED_COUNT];
    struct ot_device_share graph_launches; /* attributed or not */
    uint64_t n_memory_events;
    int64_t unattributed_allocated_bytes;
    bool has_phases;
    bool has_python_stacks;
    bool has_times;   /* some slice of the population: the next two mean something */
    int64_t start_ns; /* of the first slice; since the epoch where the session has a base */
    int64_t end_ns;
};

/* One row and one of the shapes that its calls were given. */
struct ot_shape_count {
    uint32_t row;
    uint32_t shapes; /* name id */
    uint64_t n_calls;
};

struct ot_population {
    struct ot_names names; /* of the slices that are added: the ids in rows are its own */
    struct ot_counts counts;
    struct ot_warnings warnings;
    struct ot_row *rows; /* in order of first sight */
    size_t n_rows;
    size_t cap;
    struct ot_map map;
    uint32_t recent_rows[OT_POPULATION_RECENT]; /* 1 + row, by a hash; operators come again */

    /* The tables beside; each a malloc'ed array. */
    struct ot_session_totals *sessions;
    size_t n_sessions;
    struct ot_track *tracks;
    size_t n_tracks;
    struct ot_device *devices;
    size_t n_devices;
    struct ot_memory *memory;
    size_t n_memory;
    struct ot_shape_count *shapes;
    size_t n_shapes;
};

void ot_totals_init(struct ot_totals *totals);

/* Adds `more`; returns how many sums met their limit. */
unsigned ot_totals_add(struct ot_totals *totals, const struct ot_totals *more);

/* Finds the row that a slice belongs to, or makes it. OT_ERR_NOMEM: memory or
 * OT_POPULATION_MAX_ROWS. */
int ot_population_row(struct ot_population *pop, const struct ot_slice *slice, size_t *ret_row,
                      struct ot_err *err);

/* A zeroed struct is an empty population. OT_ERR_NOMEM: memory or OT_POPULATION_MAX_ROWS. */
int ot_population_add(struct ot_population *pop, const struct ot_slice *slice, struct ot_err *err);

/* An entry that never ended. */
int ot_population_add_unclosed(struct ot_population *pop, const struct ot_slice *entry,
                               struct ot_err *err);

void ot_population_release(struct ot_population *pop);

#endif
