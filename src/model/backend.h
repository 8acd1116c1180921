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
    OT_BACKEND_ANNOTATION = 11, /* ranges that the user named; not of THAPI's enum */
    OT_BACKEND_COUNT = 12,
    OT_BACKEND_MAX_PROVIDERS = 2
};

struct ot_backend {
    int id;              /* its place in the table */
    const char *name;    /* as --backends has it: "cl" */
    const char *label;   /* as titles have it: "BACKEND_OPENCL" */
    int default_level;   /* 0: in no section unless chosen */
    bool name_in_fields; /* calls are named by the fields `name` and `overload_name` */
    bool nests_apart;    /* not among the calls of its thread, whose borders it may cross */
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
