/* payload.h: an event as a line of text. */
#ifndef OT_INGEST_KINETO_PAYLOAD_H
#define OT_INGEST_KINETO_PAYLOAD_H

#include "ingest/kineto/event.h"

/* Fills event->event_name and event->payload: `name: "aten::abs", ph: "X", dur: 1234 ns,
 * args: {...}`, with pid and tid where they are labels. Strings stay in JSON's quoting; white space
 * between tokens is one space; what could break a line or a terminal reads as U+FFFD; long values
 * are cut. */
int ot_kineto_add_payload(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                          struct ot_event *event, struct ot_err *err);

#endif
