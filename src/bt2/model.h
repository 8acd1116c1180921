/* model.h: the interval stream, as filter.optally.interval writes and the sinks read it.
 *
 * `lttng:host` and the event common context are those of THAPI's interval stream. The event
 * classes `optally:...` are ours alone; tools that do not know them pass them by.
 */
#ifndef OT_BT2_MODEL_H
#define OT_BT2_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "model/counts.h"

/* One execution of a call: payload {name, dur, err}. */
#define OT_BT2_HOST "lttng:host"

/* The same of a range that the user named: no call of a backend that others know. */
#define OT_BT2_ANNOTATION "optally:annotation"

/* An entry that never ended: payload {name}; `ts` is when it began. */
#define OT_BT2_UNCLOSED "optally:unclosed"

/* Once, last: what the filter read and lost: payload ot_bt2_counts. */
#define OT_BT2_COMPLETENESS "optally:completeness"

/* The unsigned 64-bit members of OT_BT2_COMPLETENESS, and where struct ot_counts has them. */
extern const struct ot_bt2_count {
    const char *name;
    size_t offset;
} ot_bt2_counts[];
enum { OT_BT2_COUNTS = 7 };

static inline uint64_t *ot_bt2_count_of(struct ot_counts *counts, size_t i)
{
    return (uint64_t *)((char *)counts + ot_bt2_counts[i].offset);
}

#endif
