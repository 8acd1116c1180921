/* What a trace says of its processes and threads. */
#include <limits.h>

#include "model/label.h"
#include "timeline/places.h"

int ot_places_key_of(struct ot_places *places, const struct ot_event *event,
                     struct ot_place_key *ret_key, struct ot_err *err)
{
    struct ot_place_key key = {
        .session = event->session,
        .vpid = event->vpid,
        .vtid = event->vtid,
        .thread_key = event->thread_key,
    };
    const struct ot_event_args *args = event->args;
    uint32_t id = 0;
    int code = ot_names_intern(places->names, event->host, &key.host, err);
    if (code == OT_OK && args && args->process_label.len) {
        code = ot_names_intern(places->names, args->process_label, &id, err);
        key.vpid = ot_vpid_of_name(id);
    }
    if (code == OT_OK && args && args->thread_label.len) {
        code = ot_names_intern(places->names, args->thread_label, &id, err);
        key.vtid = ot_vtid_of_name(id);
    }
    if (code == OT_OK)
        *ret_key = key;
    return code;
}

static int32_t order_of(int64_t order)
{
    if (order > INT32_MAX)
        return INT32_MAX;
    return order < INT32_MIN ? INT32_MIN : (int32_t)order;
}

static void order_process(struct ot_place_process *process, int64_t order)
{
    process->has_order = true;
    process->order = order_of(order);
}

int ot_places_name(struct ot_places *places, const struct ot_event *event, struct ot_err *err)
{
    const struct ot_event_args *args = event->args;
    struct ot_place_key key = {0};
    uint32_t thread = 0;
    uint32_t process = 0;
    uint32_t id = 0;
    bool is_of_thread =
        args->label_kind == OT_LABEL_THREAD || args->label_kind == OT_LABEL_THREAD_ORDER;
    int code = ot_places_key_of(places, event, &key, err);
    if (code == OT_OK)
        code = ot_places_process(places, &key, &process, err);
    if (code == OT_OK && is_of_thread)
        code = ot_places_thread(places, &key, &thread, err);
    if (code == OT_OK)
        code = ot_names_intern(places->names, args->label, &id, err);
    if (code < 0)
        return code;
    switch (args->label_kind) {
    case OT_LABEL_PROCESS:
        places->processes[process].label = id + 1;
        break;
    case OT_LABEL_PROCESS_NOTE:
        places->processes[process].note = id + 1;
        break;
    case OT_LABEL_THREAD:
        places->threads[thread].label = id + 1;
        break;
    case OT_LABEL_PROCESS_ORDER:
        order_process(&places->processes[process], args->order);
        break;
    case OT_LABEL_THREAD_ORDER:
        places->threads[thread].has_order = true;
        places->threads[thread].order = order_of(args->order);
        break;
    }
    return OT_OK;
}
