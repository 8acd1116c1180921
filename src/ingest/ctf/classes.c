#include "ingest/ctf/classes.h"

static bool find_integer_in(const bt_field_class *structure, enum ot_ctf_place place,
                            const char *name, struct ot_ctf_integer *ret_integer)
{
    struct ot_ctf_member member = ot_ctf_find_member(structure, name, BT_FIELD_CLASS_TYPE_INTEGER);
    if (member.is_there)
        *ret_integer = (struct ot_ctf_integer){.place = place, .member = member};
    return member.is_there;
}

/* `name` as LTTng calls the context of the traced program's own namespace, `other_name` as it
 * calls the root namespace's. */
static struct ot_ctf_integer find_integer(const bt_event_class *event_class, const char *name,
                                          const char *other_name)
{
    const bt_field_class *common = bt_stream_class_borrow_event_common_context_field_class_const(
        bt_event_class_borrow_stream_class_const(event_class));
    const bt_field_class *specific =
        bt_event_class_borrow_specific_context_field_class_const(event_class);
    struct ot_ctf_integer integer = {0};
    if (!find_integer_in(common, OT_CTF_COMMON_CONTEXT, name, &integer) &&
        !find_integer_in(specific, OT_CTF_SPECIFIC_CONTEXT, name, &integer) &&
        !find_integer_in(common, OT_CTF_COMMON_CONTEXT, other_name, &integer))
        find_integer_in(specific, OT_CTF_SPECIFIC_CONTEXT, other_name, &integer);
    return integer;
}

static bool ends_with(struct ot_text text, const char *suffix)
{
    size_t len = strlen(suffix);
    return text.len > len && memcmp(text.bytes + text.len - len, suffix, len) == 0;
}

/* Splits `provider:call_entry`. */
static void read_name(struct ot_ctf_class *class, struct ot_text *ret_provider)
{
    static const struct {
        const char *suffix;
        enum ot_event_kind kind;
    } ends[] = {{"_entry", OT_EVENT_ENTRY}, {"_exit", OT_EVENT_EXIT}};
    struct ot_text event_name = class->event_name;
    const char *colon = event_name.len ? memchr(event_name.bytes, ':', event_name.len) : NULL;
    size_t provider_len = colon ? (size_t)(colon - event_name.bytes) : 0;
    size_t skipped = colon ? provider_len + 1 : 0;
    *ret_provider = (struct ot_text){event_name.bytes, provider_len};
    class->kind = OT_EVENT_OTHER;
    class->call_name = (struct ot_text){event_name.bytes + skipped, event_name.len - skipped};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (!ends_with(class->call_name, ends[i].suffix))
            continue;
        class->kind = ends[i].kind;
        class->call_name.len -= strlen(ends[i].suffix);
        return;
    }
}

void ot_ctf_class_init(struct ot_ctf_class *class, const bt_event_class *event_class)
{
    const char *event_name = bt_event_class_get_name(event_class);
    *class = (struct ot_ctf_class){
        .event_class = event_class,
        .event_name = ot_text_of(event_name ? event_name : ""),
        .has_clock = bt_stream_class_borrow_default_clock_class_const(
            bt_event_class_borrow_stream_class_const(event_class)),
        .vpid = find_integer(event_class, "vpid", "pid"),
        .vtid = find_integer(event_class, "vtid", "tid"),
    };
    bt_event_class_get_ref(event_class);
    struct ot_text provider;
    read_name(class, &provider);
    const struct ot_backend *backend = ot_backend_of_event(provider, class->call_name);
    class->backend = backend->id;
    if (!backend->name_in_fields)
        return;
    const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(event_class);
    class->name = ot_ctf_find_member(payload, "name", BT_FIELD_CLASS_TYPE_STRING);
    class->overload_name = ot_ctf_find_member(payload, "overload_name", BT_FIELD_CLASS_TYPE_STRING);
}
