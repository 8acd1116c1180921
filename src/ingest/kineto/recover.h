/* recover.h: where a damaged trace can be read again. */
#ifndef OT_INGEST_KINETO_RECOVER_H
#define OT_INGEST_KINETO_RECOVER_H

#include "ingest/kineto/window.h"

enum ot_kineto_landing {
    OT_LANDING_EVENT, /* at the brace of what looks like an event */
    OT_LANDING_CLOSE, /* at the bracket that closes the list */
    OT_LANDING_END    /* there is nothing more */
};

/* Looks from `at` on, where nothing can be made of the text, for the next event: a brace behind
 * anything but a colon, before one of the keys that events have; or for a bracket behind a brace,
 * before the end of the file or a key that the profiler writes behind the list. What lies before
 * `at` from `start` on belongs to what was damaged. Never looks back, so that the whole costs no
 * more than reading once. OT_OK, or what the source said. */
int ot_kineto_resync(struct ot_kineto_window *window, const unsigned char *start,
                     const unsigned char *at, const unsigned char **ret_at,
                     enum ot_kineto_landing *ret_landing, struct ot_err *err);

/* Looks for `"traceEvents": [` in a damaged header. OT_LANDING_EVENT: *ret_at is behind the
 * bracket. */
int ot_kineto_find_list(struct ot_kineto_window *window, const unsigned char *at,
                        const unsigned char **ret_at, enum ot_kineto_landing *ret_landing,
                        struct ot_err *err);

#endif
