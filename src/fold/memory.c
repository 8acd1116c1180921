#include "fold/memory.h"

#include <stdlib.h>

#include "base/sum.h"
#include "base/vec.h"
#include "fold/activity.h"

/* Devices of one job; a few dozen at most in any real trace. */
enum { MAX_DEVICES = 4096 };

int ot_memory_device(struct ot_memory_events *events, struct ot_population *pop, uint32_t session,
                     int64_t device_type, int64_t device_id, uint32_t *ret_memory,
                     struct ot_err *err)
{
    /* From the newest: events of one device come in runs, and so do sessions. */
    for (size_t i = pop->n_memory; i-- > 0;) {
        const struct ot_memory *memory = &pop->memory[i];
        if (memory->device_id == device_id && memory->device_type == device_type &&
            memory->session == session) {
            *ret_memory = (uint32_t)i;
            return OT_OK;
        }
    }
    if (pop->n_memory >= MAX_DEVICES)
        return ot_err_set(err, OT_ERR_NOMEM, "memory events of more than %d devices", MAX_DEVICES);
    if (!ot_vec_reserve(&pop->memory, &events->memory_cap, pop->n_memory + 1, sizeof(*pop->memory)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for devices");
    pop->memory[pop->n_memory] =
        (struct ot_memory){.session = session, .device_type = device_type, .device_id = device_id};
    *ret_memory = (uint32_t)pop->n_memory++;
    return OT_OK;
}

int ot_memory_add(struct ot_memory_events *events, struct ot_population *pop,
                  const struct ot_memory_event *event, struct ot_err *err)
{
    if (events->n_items >= UINT32_MAX ||
        !ot_vec_reserve(&events->items, &events->cap, events->n_items + 1, sizeof(*events->items)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for memory events");
    struct ot_memory_event *kept = &events->items[events->n_items];
    *kept = *event;
    kept->number = (uint32_t)events->n_items++;
    struct ot_memory *memory = &pop->memory[event->memory];
    if (memory->n_events == 0 || event->ts_ns < memory->first_ns)
        memory->first_ns = event->ts_ns;
    if (memory->n_events == 0 || event->ts_ns > memory->last_ns)
        memory->last_ns = event->ts_ns;
    memory->n_events++;
    int64_t *sum = event->bytes >= 0 ? &memory->allocated_bytes : &memory->freed_bytes;
    pop->counts.overflowed_sums += ot_sum_add(sum, ot_memory_size(event));
    return OT_OK;
}

static int compare_times(const struct ot_memory_event *a, const struct ot_memory_event *b)
{
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_device(const void *a, const void *b)
{
    const struct ot_memory_event *event_a = a;
    const struct ot_memory_event *event_b = b;
    if (event_a->memory != event_b->memory)
        return event_a->memory < event_b->memory ? -1 : 1;
    return compare_times(event_a, event_b);
}

static int by_group(const void *a, const void *b)
{
    const struct ot_memory_event *event_a = a;
    const struct ot_memory_event *event_b = b;
    if (event_a->group != event_b->group)
        return event_a->group < event_b->group ? -1 : 1;
    return compare_times(event_a, event_b);
}

/* Of events of one device, in the order of time. */
static int64_t peak_of(struct ot_population *pop, const struct ot_memory_event *events, size_t n)
{
    int64_t peak_told = INT64_MIN;
    int64_t peak_summed = 0;
    int64_t sum = 0;
    bool is_told = false;
    for (size_t i = 0; i < n; i++) {
        is_told |= events[i].has_total;
        if (events[i].has_total && events[i].total_allocated > peak_told)
            peak_told = events[i].total_allocated;
        if (__builtin_add_overflow(sum, events[i].bytes, &sum)) {
            sum = events[i].bytes < 0 ? INT64_MIN : INT64_MAX;
            pop->counts.overflowed_sums += !is_told;
        }
        if (sum > peak_summed)
            peak_summed = sum;
    }
    return is_told ? peak_told : peak_summed;
}

int ot_memory_finish(struct ot_memory_events *events, struct ot_population *pop,
                     struct ot_activity *activity, struct ot_err *err)
{
    int code = OT_OK;
    if (events->n_items == 0)
        return OT_OK;
    qsort(events->items, events->n_items, sizeof(*events->items), by_device);
    for (size_t first = 0, end; first < events->n_items && code == OT_OK; first = end) {
        uint32_t memory = events->items[first].memory;
        for (end = first + 1; end < events->n_items && events->items[end].memory == memory;)
            end++;
        pop->memory[memory].peak_bytes = peak_of(pop, &events->items[first], end - first);
        if (activity)
            code = ot_activity_fill_memory(activity, pop, &events->items[first], end - first, err);
    }
    qsort(events->items, events->n_items, sizeof(*events->items), by_group);
    return code;
}

void ot_memory_release(struct ot_memory_events *events)
{
    free(events->items);
    *events = (struct ot_memory_events){0};
}
