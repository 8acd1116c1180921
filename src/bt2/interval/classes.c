#include "bt2/interval/classes.h"

#include <stdbool.h>

#include "bt2/model.h"
#include "model/backend.h"

typedef bt_field_class *(*create_field_class)(bt_trace_class *trace_class);

struct member {
    const char *name;
    create_field_class create;
};

/* The places of members in the tables below. */
enum { CONTEXT_HOSTNAME, CONTEXT_VPID, CONTEXT_VTID, CONTEXT_TS, CONTEXT_BACKEND, N_CONTEXT };
enum { PAYLOAD_NAME, PAYLOAD_DUR, PAYLOAD_ERR, N_PAYLOAD };

static const struct member context_members[N_CONTEXT] = {
    [CONTEXT_HOSTNAME] = {"hostname", bt_field_class_string_create},
    [CONTEXT_VPID] = {"vpid", bt_field_class_integer_signed_create},
    [CONTEXT_VTID] = {"vtid", bt_field_class_integer_unsigned_create},
    [CONTEXT_TS] = {"ts", bt_field_class_integer_signed_create},
    [CONTEXT_BACKEND] = {"backend", bt_field_class_integer_signed_create},
};

static const struct member host_members[N_PAYLOAD] = {
    [PAYLOAD_NAME] = {"name", bt_field_class_string_create},
    [PAYLOAD_DUR] = {"dur", bt_field_class_integer_unsigned_create},
    [PAYLOAD_ERR] = {"err", bt_field_class_bool_create},
};

static const struct member unclosed_members[] = {
    [PAYLOAD_NAME] = {"name", bt_field_class_string_create},
};

static bool append(bt_trace_class *trace_class, bt_field_class *structure,
                   const struct member *member)
{
    bt_field_class *field_class = member->create(trace_class);
    bool is_done = field_class &&
                   bt_field_class_structure_append_member(structure, member->name, field_class) ==
                       BT_FIELD_CLASS_STRUCTURE_APPEND_MEMBER_STATUS_OK;
    bt_field_class_put_ref(field_class);
    return is_done;
}

/* NULL when memory is out. */
static bt_field_class *create_structure(bt_trace_class *trace_class, const struct member *members,
                                        size_t n_members)
{
    bt_field_class *structure = bt_field_class_structure_create(trace_class);
    for (size_t i = 0; structure && i < n_members; i++) {
        if (!append(trace_class, structure, &members[i])) {
            bt_field_class_put_ref(structure);
            return NULL;
        }
    }
    return structure;
}

static bt_event_class *create_event_class(const struct ot_interval_classes *classes,
                                          const char *name, const struct member *members,
                                          size_t n_members)
{
    bt_event_class *event_class = bt_event_class_create(classes->stream);
    bt_field_class *payload = create_structure(classes->trace, members, n_members);
    bool is_done =
        event_class && payload &&
        bt_event_class_set_name(event_class, name) == BT_EVENT_CLASS_SET_NAME_STATUS_OK &&
        bt_event_class_set_payload_field_class(event_class, payload) ==
            BT_EVENT_CLASS_SET_FIELD_CLASS_STATUS_OK;
    bt_field_class_put_ref(payload);
    if (is_done)
        return event_class;
    bt_event_class_put_ref(event_class);
    return NULL;
}

static bt_event_class *create_completeness(const struct ot_interval_classes *classes)
{
    struct member members[OT_BT2_COUNTS];
    for (size_t i = 0; i < OT_BT2_COUNTS; i++)
        members[i] = (struct member){ot_bt2_counts[i].name, bt_field_class_integer_unsigned_create};
    return create_event_class(classes, OT_BT2_COMPLETENESS, members, OT_BT2_COUNTS);
}

static bool create_stream_class(struct ot_interval_classes *classes)
{
    classes->stream = bt_stream_class_create(classes->trace);
    bt_field_class *context = create_structure(classes->trace, context_members, N_CONTEXT);
    bool is_done = classes->stream && context &&
                   bt_stream_class_set_name(classes->stream, "interval") ==
                       BT_STREAM_CLASS_SET_NAME_STATUS_OK &&
                   bt_stream_class_set_event_common_context_field_class(classes->stream, context) ==
                       BT_STREAM_CLASS_SET_FIELD_CLASS_STATUS_OK;
    bt_field_class_put_ref(context);
    return is_done;
}

int ot_interval_classes_init(struct ot_interval_classes *classes, bt_self_component *self)
{
    *classes = (struct ot_interval_classes){.trace = bt_trace_class_create(self)};
    if (!classes->trace || !create_stream_class(classes))
        return OT_ERR_NOMEM;
    classes->host = create_event_class(classes, OT_BT2_HOST, host_members, N_PAYLOAD);
    classes->annotation = create_event_class(classes, OT_BT2_ANNOTATION, host_members, N_PAYLOAD);
    classes->unclosed = create_event_class(classes, OT_BT2_UNCLOSED, unclosed_members, 1);
    classes->completeness = create_completeness(classes);
    return classes->host && classes->annotation && classes->unclosed && classes->completeness
               ? OT_OK
               : OT_ERR_NOMEM;
}

void ot_interval_classes_release(struct ot_interval_classes *classes)
{
    bt_event_class_put_ref(classes->completeness);
    bt_event_class_put_ref(classes->unclosed);
    bt_event_class_put_ref(classes->annotation);
    bt_event_class_put_ref(classes->host);
    bt_stream_class_put_ref(classes->stream);
    bt_trace_class_put_ref(classes->trace);
    *classes = (struct ot_interval_classes){0};
}

static bt_field *member_of(bt_field *structure, uint64_t i)
{
    return bt_field_structure_borrow_member_field_by_index(structure, i);
}

/* Names are NUL-terminated in struct ot_names. */
static bool set_string(bt_field *field, const char *string)
{
    return bt_field_string_set_value(field, string) == BT_FIELD_STRING_SET_VALUE_STATUS_OK;
}

static bool set_context(bt_field *context, const char *host, const struct ot_slice *slice)
{
    bt_field_integer_signed_set_value(member_of(context, CONTEXT_VPID), slice->vpid);
    bt_field_integer_unsigned_set_value(member_of(context, CONTEXT_VTID), slice->vtid);
    bt_field_integer_signed_set_value(member_of(context, CONTEXT_TS), slice->ts_ns);
    bt_field_integer_signed_set_value(member_of(context, CONTEXT_BACKEND), slice->backend);
    return set_string(member_of(context, CONTEXT_HOSTNAME), host);
}

/* `name` is NULL for payloads that have none. */
static bt_message *create_message(const struct ot_interval_target *target,
                                  const bt_event_class *event_class, const char *host,
                                  const char *name, const struct ot_slice *slice,
                                  bt_field **ret_payload)
{
    bt_message *message = bt_message_event_create(target->iterator, event_class, target->stream);
    if (!message)
        return NULL;
    bt_event *event = bt_message_event_borrow_event(message);
    *ret_payload = bt_event_borrow_payload_field(event);
    if (set_context(bt_event_borrow_common_context_field(event), host, slice) &&
        (!name || set_string(member_of(*ret_payload, PAYLOAD_NAME), name)))
        return message;
    bt_message_put_ref(message);
    return NULL;
}

bt_message *ot_interval_host(const struct ot_interval_target *target, const struct ot_slice *slice)
{
    bt_field *payload;
    const bt_event_class *event_class = slice->backend == OT_BACKEND_ANNOTATION
                                            ? target->classes->annotation
                                            : target->classes->host;
    bt_message *message =
        create_message(target, event_class, ot_names_text(target->names, slice->host).bytes,
                       ot_names_text(target->names, slice->name).bytes, slice, &payload);
    if (!message)
        return NULL;
    bt_field_integer_unsigned_set_value(member_of(payload, PAYLOAD_DUR), (uint64_t)slice->dur_ns);
    bt_field_bool_set_value(member_of(payload, PAYLOAD_ERR), slice->err);
    return message;
}

bt_message *ot_interval_unclosed(const struct ot_interval_target *target,
                                 const struct ot_slice *entry)
{
    bt_field *payload;
    return create_message(target, target->classes->unclosed,
                          ot_names_text(target->names, entry->host).bytes,
                          ot_names_text(target->names, entry->name).bytes, entry, &payload);
}

bt_message *ot_interval_completeness(const struct ot_interval_target *target,
                                     const struct ot_counts *counts)
{
    static const struct ot_slice nowhere = {.vpid = -1};
    struct ot_counts copy = *counts;
    bt_field *payload;
    bt_message *message =
        create_message(target, target->classes->completeness, "", NULL, &nowhere, &payload);
    for (size_t i = 0; message && i < OT_BT2_COUNTS; i++)
        bt_field_integer_unsigned_set_value(member_of(payload, i), *ot_bt2_count_of(&copy, i));
    return message;
}
