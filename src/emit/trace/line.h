/* line.h: one event as one line. */
#ifndef OT_EMIT_TRACE_LINE_H
#define OT_EMIT_TRACE_LINE_H

#include <stdbool.h>

#include "base/str.h"
#include "model/event.h"

/* Adds `HH:MM:SS.nnnnnnnnn - host - vpid: N, vtid: N - provider:event: { payload }` and a newline.
 * The time of day is local, or UTC. The event comes from a reader that was opened with `want_text`
 * and is no OT_EVENT_DISCARDED. */
void ot_trace_add_line(struct ot_str *str, const struct ot_event *event, bool utc);

#endif
