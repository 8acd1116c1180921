/* activity.h: fills in the activity of stats/activity.h.
 *
 * A thread's line is made of the slices of its lane of calls that begin outside all others, which
 * is what its self times add up to; a device's of the union of its slices. Private to this folder.
 * One thread.
 */
#ifndef OT_FOLD_ACTIVITY_H
#define OT_FOLD_ACTIVITY_H

#include "fold/intake.h"

/* Threads and devices, from slices that are in order. */
int ot_activity_fill(struct ot_activity *activity, const struct ot_intake *intake,
                     const uint32_t *order, struct ot_err *err);

/* A device's memory: its `n` events, 1 or more, in the order of time. Its peak is known. */
int ot_activity_fill_memory(struct ot_activity *activity, const struct ot_population *pop,
                            const struct ot_memory_event *events, size_t n, struct ot_err *err);

#endif
