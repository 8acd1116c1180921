#include "ingest/oplog/text.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "ingest/quote.h"
#include "model/backend.h"

struct ot_text ot_oplog_event_name(const struct ot_event *event)
{
    bool is_entry = event->kind == OT_EVENT_ENTRY;
    if (event->kind == OT_EVENT_MEMORY)
        return ot_text_of("optally:memory");
    if (event->backend == OT_BACKEND_ANNOTATION)
        return ot_text_of(is_entry ? "lttng_ust_pytorch:annotation_entry"
                                   : "lttng_ust_pytorch:annotation_exit");
    return ot_text_of(is_entry ? "lttng_ust_pytorch:op_entry" : "lttng_ust_pytorch:op_exit");
}

static void add_args(struct ot_str *str, const struct ot_event_args *args)
{
    if (args->has_sequence)
        ot_str_addf(str, ", sequence: %" PRId64 ", forward_vtid: %" PRId64, args->sequence,
                    args->forward_thread);
    if (!args->shapes.bytes)
        return;
    ot_str_addf(str, ", shapes: ");
    ot_utf8_add_printable(str, args->shapes);
    ot_str_addf(str, ", types: ");
    ot_utf8_add_printable(str, args->types);
}

static void add_memory(struct ot_str *str, const struct ot_event_args *args)
{
    ot_str_addf(str,
                "bytes: %" PRId64 ", total_allocated: %" PRId64 ", device_type: %" PRId64
                ", device_index: %" PRId64,
                args->bytes, args->total_allocated, args->device_type, args->device_id);
}

void ot_oplog_add_payload(struct ot_str *str, const struct ot_event *event,
                          const struct ot_oplog_cursor *cursor)
{
    const struct ot_oplog_call *call = cursor->call;
    if (!call) {
        add_memory(str, event->args);
        return;
    }
    ot_str_addf(str, "name: ");
    ot_quote_add(str, call->first);
    if (event->backend != OT_BACKEND_ANNOTATION) {
        ot_str_addf(str, ", overload_name: ");
        ot_quote_add(str, call->overload.len ? call->overload : ot_text_of("default"));
    }
    if (event->args)
        add_args(str, event->args);
    if (cursor->ended_on_tid)
        ot_str_addf(str, ", ended_on_vtid: %" PRIu64, cursor->ended_on_tid);
}
