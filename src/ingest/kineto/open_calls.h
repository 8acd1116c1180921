/* open_calls.h: calls that a trace of pairs has begun and not ended yet: a stack per track.
 *
 * Torch's profiler writes whole slices; other writers of the same format write a B and an E event
 * instead. One thread. A zeroed struct has none.
 */
#ifndef OT_INGEST_KINETO_OPEN_CALLS_H
#define OT_INGEST_KINETO_OPEN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "model/event.h"
#include "model/names.h"

enum { OT_OPEN_CALLS_MAX = 1 << 20 };

/* Where in the trace a call began. */
struct ot_open_place {
    uint64_t number; /* of the event */
    uint64_t offset;
};

/* Calls that have no end, and where the earliest of them began, if there are any. */
struct ot_open_lost {
    uint64_t n;
    struct ot_open_place first;
};

struct ot_open_calls {
    struct ot_names names;
    struct ot_map map; /* of the tracks */
    struct ot_open_track *tracks;
    size_t n_tracks;
    size_t cap_tracks;
    struct ot_open_call *calls;
    size_t n_calls;
    size_t cap_calls;
    uint32_t free;             /* the first unused one + 1, or 0 */
    struct ot_event_args args; /* of the call that was popped last */
};

/* `event` is a slice without a duration. OT_ERR_NOMEM: memory, or more are open than the limit. */
int ot_open_calls_push(struct ot_open_calls *open, const struct ot_event *event,
                       struct ot_open_place place, struct ot_err *err);

/* The innermost open call of event's track, or if it has a name the innermost one of that name:
 * OT_OK, and *event becomes that slice, with the time between as its duration. *ret_lost: the
 * calls inside it, which were dropped, because they can have no end any more. OT_END: there is
 * none. The texts live until the next push or pop. */
int ot_open_calls_pop(struct ot_open_calls *open, struct ot_event *event,
                      struct ot_open_lost *ret_lost, struct ot_err *err);

/* Those that are still open. */
struct ot_open_lost ot_open_calls_rest(const struct ot_open_calls *open);

void ot_open_calls_release(struct ot_open_calls *open);

#endif
