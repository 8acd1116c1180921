/* event.h: one event, as every reader yields it: a point in time, or a whole slice.
 *
 * The texts and `args` are borrowed from the reader and valid until its next call.
 */
#ifndef OT_MODEL_EVENT_H
#define OT_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum ot_event_kind {
    OT_EVENT_ENTRY,
    OT_EVENT_EXIT,
    OT_EVENT_OTHER,     /* an event that neither begins nor ends a call */
    OT_EVENT_DISCARDED, /* no event: the tracer says that it lost some here */
    OT_EVENT_SLICE,     /* a whole call; in any order of time */
    OT_EVENT_MEMORY,    /* an allocation or a release; `args` says which */

    /* Only from a reader that was opened with `want_marks`. */
    OT_EVENT_LABEL, /* says what the process or thread of its vpid and vtid is called; may come
                       before or after what happens there */
    OT_EVENT_FLOW,  /* one end of an arrow that the trace draws, at a time and on a thread */

    /* Only from a reader that was opened with `want_raw`. */
    OT_EVENT_MEMBER /* of the object that the events are a member of: something else that is in it,
                       as its `raw` has it, key and value */
};

enum ot_label_kind {
    OT_LABEL_PROCESS,      /* `label`: its name, "python" */
    OT_LABEL_PROCESS_NOTE, /* `label`: what is said beside its name, "CPU", "GPU 0" */
    OT_LABEL_THREAD,
    OT_LABEL_PROCESS_ORDER, /* `order` */
    OT_LABEL_THREAD_ORDER
};

/* What a slice, an entry or a memory event says beside its name and times. A number is meaningful
 * if its `has_` is set; a text that was not said is empty. */
struct ot_event_args {
    struct ot_text category; /* of the slice, as the trace has it: "cpu_op" */

    /* Where the trace names a process or thread instead of numbering it ("stream 7"); vpid is then
     * -1, vtid 0. */
    struct ot_text process_label;
    struct ot_text thread_label;

    bool has_correlation;
    bool has_device;
    bool has_sequence;
    bool has_device_type;
    bool has_device_id;
    bool has_total_allocated;
    bool has_call_stack; /* and it is not empty */
    bool has_phase;      /* which may be the empty one */
    uint64_t correlation;
    int64_t device;              /* that a device's slice ran on */
    struct ot_text device_label; /* where that has a name instead of a number */
    int64_t sequence;            /* that forward and backward operators share */
    int64_t forward_thread;      /* of a backward operator: where the forward one ran; else 0. Of a
                                    recording its vtid, -1 for a thread that nobody knows */
    struct ot_text shapes;       /* of the inputs, the trace's own JSON text: `[[64, 3], []]` */
    struct ot_text types;        /* of the inputs, likewise: `["float", "Scalar"]` */
    struct ot_text phase;

    enum ot_label_kind label_kind; /* label */
    struct ot_text label;
    int64_t order; /* label: among its like, ascending */

    uint64_t flow; /* flow: ends with the same number and category belong together */
    bool is_flow_start;

    int64_t bytes;       /* memory: allocated, or if negative released */
    int64_t device_type; /* memory: 0 CPU, 1 CUDA, 6 HIP (c10::DeviceType) */
    int64_t device_id;
    int64_t total_allocated; /* memory: on the device, after this event */
};

struct ot_event {
    enum ot_event_kind kind;
    int backend;         /* of enum ot_backend */
    uint32_t session;    /* which of the reader's, from 0 */
    int64_t ts_ns;       /* since the epoch; of a slice or memory event: since its session's base */
    int64_t dur_ns;      /* slice */
    bool was_open;       /* slice: the trace told its beginning and its end, and it comes with its
                            end, after all that is inside it */
    int64_t vpid;        /* -1 where the trace does not say */
    uint64_t vtid;       /* 0 where the trace does not say: one track for the whole process */
    struct ot_text host; /* empty where the trace does not say */
    struct ot_text name; /* entry and exit: of the call, the overload joined: `aten::abs.out` */
    struct ot_text overload; /* entry and exit: the part of `name` that is the overload's, `out` */
    struct ot_text shown_as; /* entry: if not empty, the call's name in what is made of it */

    /* Numbers that spare looking texts up. Not 0: the same number stands for the same name, host,
     * process and thread in all events of the reader. Two numbers may stand for threads that had
     * the same ids one after the other, whose calls have nothing to do with each other. */
    uint32_t name_key;
    uint32_t thread_key;

    bool ends_exactly; /* exit: of the call of that name that began at began_ns on this thread, */
    int64_t began_ns;  /* whatever else has begun since; others end the newest one */

    uint64_t n_discarded;   /* discarded: how many events; at least 1 */
    bool n_discarded_known; /* false: at least that many */
    bool is_gap;            /* discarded: from the middle of this thread; what was open before is
                               not known to be open any more */

    const struct ot_event_args *args; /* slice, memory, label, flow: never NULL; entry: may be;
                                         others: NULL */

    /* Only from a reader that was opened with `want_text`. */
    struct ot_text event_name; /* `lttng_ust_pytorch:op_entry` */
    struct ot_text payload;    /* `name: "aten::abs", overload_name: "out"` */

    /* Only from a reader of JSON that was opened with `want_raw`: the event as the trace has it,
     * from brace to brace. Its strings may hold what JSON forbids (ingest/kineto/unescape.h). */
    struct ot_text raw;
};

#endif
