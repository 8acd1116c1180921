/* backend.h: the programming models that calls belong to.
 *
 * One table says everything about a backend: its number (that of THAPI's enum, so that interval
 * messages mean the same in both tools), names, the level of its section in a tally, and which
 * LTTng-UST providers belong to it. Constant data, any thread.
 */
#ifndef OT_MODEL_BACKEND_H
#define OT_MODEL_BACKEND_H

#include <stdbool.h>

#include "base/text.h"

enum {
    OT_BACKEND_UNKNOWN = 0,
    OT_BACKEND_PYTORCH = 10,
    /* From here on, not of THAPI's enum. */
    OT_BACKEND_ANNOTATION = 11,        /* ranges that the user named */
    OT_BACKEND_RUNTIME = 12,           /* host calls into a device's runtime or driver */
    OT_BACKEND_DEVICE = 13,            /* kernels, copies, collectives on a device */
    OT_BACKEND_PYTHON = 14,            /* Python frames */
    OT_BACKEND_SYNC = 15,              /* waits, drawn on a device's rows */
    OT_BACKEND_DEVICE_ANNOTATION = 16, /* copies of annotations on a device's rows */
    OT_BACKEND_OTHER = 17,             /* the profiler's own work, and what is not known */
    OT_BACKEND_COUNT = 18,
    OT_BACKEND_MAX_PROVIDERS = 2
};

/* What nests in what: slices of one lane of a thread. */
enum ot_lane {
    OT_LANE_CALLS,
    OT_LANE_ANNOTATIONS, /* not among the calls of their thread, whose borders they may cross */
    OT_LANE_PYTHON,      /* likewise */
    OT_LANE_FLAT         /* nests in nothing: a device's work, which may overlap */
};

struct ot_backend {
    int id;            /* its place in the table */
    int default_level; /* of its section; 0: in none unless chosen */
    const char *name;  /* as --backends has it: "cl" */
    const char *label; /* as titles have it: "BACKEND_OPENCL" */
    const char *kind;  /* as an analysis has it: "op" */
    enum ot_lane lane;
    bool in_population;  /* an analysis totals it */
    bool name_in_fields; /* calls are named by the fields `name` and `overload_name` */
    /* What comes before the `:` of an event's name. */
    const char *providers[OT_BACKEND_MAX_PROVIDERS];
    const char
        *only; /* this one of the provider's events, without `_entry` or `_exit`; NULL: any */
};

extern const struct ot_backend ot_backends[OT_BACKEND_COUNT];

/* NULL for a name that is not in the table. */
const struct ot_backend *ot_backend_by_name(struct ot_text name);

/* Of the event `provider:call_entry`. OT_BACKEND_UNKNOWN's row for a provider that is not in the
 * table. */
const struct ot_backend *ot_backend_of_event(struct ot_text provider, struct ot_text call);

/* OT_BACKEND_UNKNOWN for a number outside the table. */
int ot_backend_clamp(long long id);

#endif
