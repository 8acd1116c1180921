/* memory.h: the memory events of an input.
 *
 * Each is kept (40 bytes), since the operators around it are known only when the whole input was
 * read. A zeroed struct is empty. One thread.
 */
#ifndef OT_FOLD_MEMORY_H
#define OT_FOLD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/activity.h"
#include "stats/population.h"

struct ot_memory_event {
    int64_t ts_ns;
    int64_t bytes;
    int64_t total_allocated;
    uint32_t group;  /* the lane of calls of its thread */
    uint32_t memory; /* of the population's table */
    uint32_t number; /* which event of the input */
    bool has_total;
};

struct ot_memory_events {
    struct ot_memory_event *items;
    size_t n_items;
    size_t cap;
    size_t memory_cap; /* of the population's table */
};

/* Allocated or freed. */
static inline int64_t ot_memory_size(const struct ot_memory_event *event)
{
    if (event->bytes >= 0)
        return event->bytes;
    return event->bytes == INT64_MIN ? INT64_MAX : -event->bytes;
}

/* Finds or makes the device's row in the population's table. */
int ot_memory_device(struct ot_memory_events *events, struct ot_population *pop, uint32_t session,
                     int64_t device_type, int64_t device_id, uint32_t *ret_memory,
                     struct ot_err *err);

/* Adds an event and its bytes. */
int ot_memory_add(struct ot_memory_events *events, struct ot_population *pop,
                  const struct ot_memory_event *event, struct ot_err *err);

/* Fills in the population's peaks: the largest total that the events of a device tell, or of the
 * running sum where they tell none; and its memory over time, unless `activity` is NULL. Then
 * orders the events by group and time. */
int ot_memory_finish(struct ot_memory_events *events, struct ot_population *pop,
                     struct ot_activity *activity, struct ot_err *err);

void ot_memory_release(struct ot_memory_events *events);

#endif
