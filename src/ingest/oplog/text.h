/* text.h: events of operator logs as people read them, in the words of the LTTng writer's. */
#ifndef OT_INGEST_OPLOG_TEXT_H
#define OT_INGEST_OPLOG_TEXT_H

#include "base/str.h"
#include "ingest/oplog/cursor.h"

/* `lttng_ust_pytorch:op_entry`. */
struct ot_text ot_oplog_event_name(const struct ot_event *event);

/* Adds the fields of the event that the cursor yielded last:
 * `name: "aten::abs", overload_name: "out"`. */
void ot_oplog_add_payload(struct ot_str *str, const struct ot_event *event,
                          const struct ot_oplog_cursor *cursor);

#endif
