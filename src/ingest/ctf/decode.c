#include "ingest/ctf/decode.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/ctf/classes.h"
#include "ingest/ctf/text.h"

/* Event classes of a trace are few and take turns: a small table by address hits nearly always. */
enum { N_RECENT = 16 };

struct stream {
    const bt_stream *stream; /* with a reference, which keeps `host` alive, too */
    struct ot_text host;
    int64_t vpid;
};

struct ot_ctf_decoder {
    bool want_text;

    struct ot_ctf_class *classes;
    size_t n_classes;
    size_t classes_cap;
    struct ot_map class_map;
    size_t recent[N_RECENT]; /* 1 + index into classes; 0 none */

    struct stream *streams;
    size_t n_streams;
    size_t streams_cap;
    struct ot_map stream_map;
    size_t last_stream; /* meaningful while n_streams is not 0 */

    struct ot_str joined;
    struct ot_str payload;
};

struct ot_ctf_decoder *ot_ctf_decoder_new(bool want_text)
{
    struct ot_ctf_decoder *decoder = calloc(1, sizeof(*decoder));
    if (decoder)
        decoder->want_text = want_text;
    return decoder;
}

static uint64_t hash_of(const void *address)
{
    return ot_hash_mix(0, (uintptr_t)address >> 4);
}

static bool same_class(const void *owner, size_t index, const void *key)
{
    return ((const struct ot_ctf_decoder *)owner)->classes[index].event_class == key;
}

static bool same_stream(const void *owner, size_t index, const void *key)
{
    return ((const struct ot_ctf_decoder *)owner)->streams[index].stream == key;
}

static const struct ot_ctf_class *add_class(struct ot_ctf_decoder *decoder,
                                            const bt_event_class *event_class, uint64_t hash)
{
    if (!ot_vec_reserve(&decoder->classes, &decoder->classes_cap, decoder->n_classes + 1,
                        sizeof(*decoder->classes)) ||
        !ot_map_put(&decoder->class_map, hash, decoder->n_classes))
        return NULL;
    struct ot_ctf_class *class = &decoder->classes[decoder->n_classes++];
    ot_ctf_class_init(class, event_class);
    return class;
}

static const struct ot_ctf_class *find_class(struct ot_ctf_decoder *decoder,
                                             const bt_event_class *event_class)
{
    size_t *recent = &decoder->recent[((uintptr_t)event_class >> 4) % N_RECENT];
    if (*recent && decoder->classes[*recent - 1].event_class == event_class)
        return &decoder->classes[*recent - 1];
    uint64_t hash = hash_of(event_class);
    int64_t found = ot_map_find(&decoder->class_map, hash, same_class, decoder, event_class);
    const struct ot_ctf_class *class =
        found == OT_MAP_NONE ? add_class(decoder, event_class, hash) : &decoder->classes[found];
    if (class)
        *recent = (size_t)(class - decoder->classes) + 1;
    return class;
}

static struct stream describe_stream(const bt_stream *stream)
{
    struct stream described = {.stream = stream, .host = ot_text_of(""), .vpid = -1};
    const bt_trace *trace = bt_stream_borrow_trace_const(stream);
    const bt_value *host = bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");
    if (host && bt_value_is_string(host))
        described.host = ot_text_of(bt_value_string_get(host));
    /* LTTng's per-process buffers. */
    const bt_value *vpid = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
    if (vpid && bt_value_is_signed_integer(vpid))
        described.vpid = bt_value_integer_signed_get(vpid);
    return described;
}

static const struct stream *find_stream(struct ot_ctf_decoder *decoder, const bt_stream *stream)
{
    if (decoder->n_streams && decoder->streams[decoder->last_stream].stream == stream)
        return &decoder->streams[decoder->last_stream];
    uint64_t hash = hash_of(stream);
    int64_t found = ot_map_find(&decoder->stream_map, hash, same_stream, decoder, stream);
    if (found == OT_MAP_NONE) {
        found = (int64_t)decoder->n_streams;
        if (!ot_vec_reserve(&decoder->streams, &decoder->streams_cap, decoder->n_streams + 1,
                            sizeof(*decoder->streams)) ||
            !ot_map_put(&decoder->stream_map, hash, decoder->n_streams))
            return NULL;
        bt_stream_get_ref(stream);
        decoder->streams[decoder->n_streams++] = describe_stream(stream);
    }
    decoder->last_stream = (size_t)found;
    return &decoder->streams[found];
}

/* `absent` if the class has no such integer, or the event not even the context. */
static uint64_t read_integer(const bt_event *event, const struct ot_ctf_integer *where,
                             uint64_t absent)
{
    if (where->place == OT_CTF_NOWHERE)
        return absent;
    const bt_field *context = where->place == OT_CTF_COMMON_CONTEXT
                                  ? bt_event_borrow_common_context_field_const(event)
                                  : bt_event_borrow_specific_context_field_const(event);
    if (!context)
        return absent;
    return ot_ctf_read_integer(context, &where->member);
}

/* Without a name an overload is "" or, as PyTorch and the tracer write it, "default". */
static int name_call(struct ot_ctf_decoder *decoder, const struct ot_ctf_class *class,
                     const bt_event *event, struct ot_text *ret_name, struct ot_err *err)
{
    if (!class->name.is_there) {
        *ret_name = class->call_name;
        return OT_OK;
    }
    const bt_field *payload = bt_event_borrow_payload_field_const(event);
    struct ot_text name = ot_ctf_read_string(payload, &class->name);
    *ret_name = name;
    if (!class->overload_name.is_there)
        return OT_OK;
    struct ot_text overload_name = ot_ctf_read_string(payload, &class->overload_name);
    if (overload_name.len == 0 || ot_text_same(overload_name, ot_text_of("default")))
        return OT_OK;
    ot_str_clear(&decoder->joined);
    ot_str_add_text(&decoder->joined, name);
    ot_str_add(&decoder->joined, ".", 1);
    ot_str_add_text(&decoder->joined, overload_name);
    if (decoder->joined.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a name");
    *ret_name = (struct ot_text){decoder->joined.bytes, decoder->joined.len};
    return OT_OK;
}

static int add_text(struct ot_ctf_decoder *decoder, const struct ot_ctf_class *class,
                    const bt_event *event, struct ot_event *ret_event, struct ot_err *err)
{
    ot_str_clear(&decoder->payload);
    ot_ctf_add_members(&decoder->payload, bt_event_borrow_payload_field_const(event));
    if (decoder->payload.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for an event's text");
    ret_event->event_name = class->event_name;
    ret_event->payload = (struct ot_text){ot_str_borrow(&decoder->payload), decoder->payload.len};
    return OT_OK;
}

static int read_time(const struct ot_ctf_class *class, const bt_message *message,
                     int64_t *ret_ts_ns, struct ot_err *err)
{
    if (!class->has_clock)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: the trace has no clock, so nothing has a duration",
                          class->event_name.bytes);
    const bt_clock_snapshot *snapshot =
        bt_message_event_borrow_default_clock_snapshot_const(message);
    if (bt_clock_snapshot_get_ns_from_origin(snapshot, ret_ts_ns) !=
        BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
        bt_current_thread_clear_error();
        return ot_err_set(err, OT_ERR_INPUT, "%s: a timestamp beyond 292 years from the epoch",
                          class->event_name.bytes);
    }
    return OT_OK;
}

static int decode_event(struct ot_ctf_decoder *decoder, const bt_message *message,
                        struct ot_event *ret_event, struct ot_err *err)
{
    const bt_event *event = bt_message_event_borrow_event_const(message);
    const struct ot_ctf_class *class = find_class(decoder, bt_event_borrow_class_const(event));
    const struct stream *stream = find_stream(decoder, bt_event_borrow_stream_const(event));
    if (!class || !stream)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for event classes");
    *ret_event = (struct ot_event){
        .kind = class->kind,
        .backend = class->backend,
        .host = stream->host,
        .vpid = (int64_t)read_integer(event, &class->vpid, (uint64_t)stream->vpid),
        .vtid = read_integer(event, &class->vtid, 0),
    };
    int code = read_time(class, message, &ret_event->ts_ns, err);
    if (code == OT_OK && class->kind != OT_EVENT_OTHER)
        code = name_call(decoder, class, event, &ret_event->name, err);
    if (code == OT_OK && decoder->want_text)
        code = add_text(decoder, class, event, ret_event, err);
    return code;
}

static int decode_discarded(bt_property_availability availability, uint64_t count,
                            struct ot_event *ret_event)
{
    bool is_known = availability == BT_PROPERTY_AVAILABILITY_AVAILABLE;
    if (is_known && count == 0)
        return OT_END;
    *ret_event = (struct ot_event){
        .kind = OT_EVENT_DISCARDED,
        .n_discarded = is_known ? count : 1,
        .n_discarded_known = is_known,
    };
    return OT_OK;
}

int ot_ctf_decode(struct ot_ctf_decoder *decoder, const bt_message *message,
                  struct ot_event *ret_event, struct ot_err *err)
{
    uint64_t count = 0;
    bt_property_availability availability;
    switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
        return decode_event(decoder, message, ret_event, err);
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
        availability = bt_message_discarded_events_get_count(message, &count);
        return decode_discarded(availability, count, ret_event);
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS: {
        /* A packet holds at least one event, and nobody knows how many more. */
        availability = bt_message_discarded_packets_get_count(message, &count);
        int code = decode_discarded(availability, count, ret_event);
        if (code == OT_OK)
            ret_event->n_discarded_known = false;
        return code;
    }
    default:
        return OT_END;
    }
}

void ot_ctf_decoder_free(struct ot_ctf_decoder *decoder)
{
    if (!decoder)
        return;
    for (size_t i = 0; i < decoder->n_classes; i++)
        bt_event_class_put_ref(decoder->classes[i].event_class);
    for (size_t i = 0; i < decoder->n_streams; i++)
        bt_stream_put_ref(decoder->streams[i].stream);
    free(decoder->classes);
    free(decoder->streams);
    ot_map_release(&decoder->class_map);
    ot_map_release(&decoder->stream_map);
    ot_str_release(&decoder->joined);
    ot_str_release(&decoder->payload);
    free(decoder);
}
