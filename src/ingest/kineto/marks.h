/* marks.h: events that say how others are to be shown: names of processes and threads, and arrows.
 */
#ifndef OT_INGEST_KINETO_MARKS_H
#define OT_INGEST_KINETO_MARKS_H

#include "ingest/kineto/event.h"

/* `event` is one of phase M. It stays OT_EVENT_OTHER if it says nothing that we know. */
void ot_kineto_build_label(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                           struct ot_event *event);

/* `event` is one of phase s (`is_start`) or f, with its time. It stays OT_EVENT_OTHER if it lacks a
 * part. */
void ot_kineto_build_flow(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                          bool is_start, struct ot_event *event);

#endif
