/* classes.h: the classes of the interval stream, and messages of them. Private to this folder.
 *
 * Neither the trace nor the stream has a clock: an interval's time is its `ts`, as in THAPI's
 * stream.
 */
#ifndef OT_BT2_INTERVAL_CLASSES_H
#define OT_BT2_INTERVAL_CLASSES_H

#include <babeltrace2/babeltrace.h>

#include "base/err.h"
#include "model/counts.h"
#include "model/names.h"
#include "model/slice.h"

/* References that ot_interval_classes_release() puts. */
struct ot_interval_classes {
    bt_trace_class *trace;
    bt_stream_class *stream;
    bt_event_class *host;
    bt_event_class *annotation;
    bt_event_class *unclosed;
    bt_event_class *completeness;
};

/* OT_ERR_NOMEM. Release also after a failure. */
int ot_interval_classes_init(struct ot_interval_classes *classes, bt_self_component *self);

void ot_interval_classes_release(struct ot_interval_classes *classes);

/* What a message is made for and of. */
struct ot_interval_target {
    bt_self_message_iterator *iterator;
    const struct ot_interval_classes *classes;
    const bt_stream *stream;
    const struct ot_names *names;
};

/* Each returns a message with one reference, or NULL when memory is out. */
bt_message *ot_interval_host(const struct ot_interval_target *target, const struct ot_slice *slice);
bt_message *ot_interval_unclosed(const struct ot_interval_target *target,
                                 const struct ot_slice *entry);
bt_message *ot_interval_completeness(const struct ot_interval_target *target,
                                     const struct ot_counts *counts);

#endif
