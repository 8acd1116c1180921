/* values.h: single values of an event. */
#ifndef OT_INGEST_KINETO_VALUES_H
#define OT_INGEST_KINETO_VALUES_H

#include "ingest/kineto/event.h"

/* A string's text, or another value as it is written; empty if it is not there. Counts a warning if
 * the text had to be repaired. At most OT_EVENT_TEXTS per event. */
struct ot_text ot_kineto_text(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                              enum ot_kineto_field field);

/* A time in microseconds, as nanoseconds; decimals beyond the third are rounded half to even. The
 * field is there. OT_ERR_INPUT as ot_kineto_build(). A duration that does not fit is INT64_MAX:
 * what drivers write for an end that they do not know is no fault of the file. */
int ot_kineto_ts(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                 int64_t *ret_ns, struct ot_err *err);
int ot_kineto_dur(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                  int64_t *ret_ns, struct ot_err *err);

/* pid and tid: a number, also one in quotes, or a label. */
void ot_kineto_track(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                     struct ot_event *event, struct ot_event_args *args);

/* A whole number, also one in quotes. False where it is not there, is something else, or does not
 * fit: it was not said then. */
bool ot_kineto_whole(const struct ot_kineto_raw *raw, enum ot_kineto_field field,
                     int64_t *ret_value);

/* All of builder->args but category and labels. */
void ot_kineto_args(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                    struct ot_event_args *args);

#endif
