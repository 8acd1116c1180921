/* event.h: one point event, as every reader yields it.
 *
 * The texts are borrowed from the reader and valid until its next call.
 */
#ifndef OT_MODEL_EVENT_H
#define OT_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum ot_event_kind {
    OT_EVENT_ENTRY,
    OT_EVENT_EXIT,
    OT_EVENT_OTHER,    /* an event that neither begins nor ends a call */
    OT_EVENT_DISCARDED /* no event: the tracer says that it lost some here */
};

struct ot_event {
    enum ot_event_kind kind;
    int backend;         /* of enum ot_backend */
    int64_t ts_ns;       /* since the epoch */
    int64_t vpid;        /* -1 where the trace does not say */
    uint64_t vtid;       /* 0 where the trace does not say: one track for the whole process */
    struct ot_text host; /* empty where the trace does not say */
    struct ot_text name; /* entry and exit: of the call, the overload joined: `aten::abs.out` */

    uint64_t n_discarded;   /* discarded: how many events; at least 1 */
    bool n_discarded_known; /* false: at least that many */

    /* Only from a reader that was opened with `want_text`. */
    struct ot_text event_name; /* `lttng_ust_pytorch:op_entry` */
    struct ot_text payload;    /* `name: "aten::abs", overload_name: "out"` */
};

#endif
