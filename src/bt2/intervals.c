#include "bt2/intervals.h"

#include <stdlib.h>

#include "base/vec.h"
#include "bt2/model.h"
#include "ingest/ctf/fields.h"
#include "model/backend.h"

enum { CONTEXT_HOSTNAME, CONTEXT_VPID, CONTEXT_VTID, CONTEXT_TS, CONTEXT_BACKEND, N_CONTEXT };
enum { PAYLOAD_NAME, PAYLOAD_DUR, PAYLOAD_ERR, N_PAYLOAD };

struct wanted {
    const char *name;
    bt_field_class_type type;
    bt_field_class_type or_type; /* 0: no other */
};

static const struct wanted context_wanted[N_CONTEXT] = {
    [CONTEXT_HOSTNAME] = {"hostname", BT_FIELD_CLASS_TYPE_STRING, 0},
    [CONTEXT_VPID] = {"vpid", BT_FIELD_CLASS_TYPE_INTEGER, 0},
    [CONTEXT_VTID] = {"vtid", BT_FIELD_CLASS_TYPE_INTEGER, 0},
    [CONTEXT_TS] = {"ts", BT_FIELD_CLASS_TYPE_INTEGER, 0},
    [CONTEXT_BACKEND] = {"backend", BT_FIELD_CLASS_TYPE_INTEGER, 0},
};

static const struct wanted payload_wanted[N_PAYLOAD] = {
    [PAYLOAD_NAME] = {"name", BT_FIELD_CLASS_TYPE_STRING, 0},
    [PAYLOAD_DUR] = {"dur", BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER, 0},
    /* CTF 1.8 has no booleans: once stored, they are integers. */
    [PAYLOAD_ERR] = {"err", BT_FIELD_CLASS_TYPE_BOOL, BT_FIELD_CLASS_TYPE_INTEGER},
};

struct interval_class;

typedef int (*add_event)(struct ot_intervals *intervals, const struct interval_class *class,
                         const bt_event *event, struct ot_err *err);

struct interval_class {
    const bt_event_class *event_class; /* with a reference */
    add_event add;
    struct ot_ctf_member context[N_CONTEXT];
    struct ot_ctf_member payload[N_PAYLOAD];
    struct ot_ctf_member counts[OT_BT2_COUNTS];
};

struct ot_intervals {
    struct ot_intervals_taker taker;
    struct interval_class *classes; /* an interval stream has a handful */
    size_t n_classes;
    size_t cap;
    uint64_t n_read;
    bool has_completeness;
};

struct ot_intervals *ot_intervals_new(const struct ot_intervals_taker *taker)
{
    struct ot_intervals *intervals = calloc(1, sizeof(*intervals));
    if (intervals)
        intervals->taker = *taker;
    return intervals;
}

/* A slice without times, from context and name. */
static int read_slice(struct ot_intervals *intervals, const struct interval_class *class,
                      const bt_event *event, struct ot_slice *ret_slice, struct ot_err *err)
{
    const bt_field *context = bt_event_borrow_common_context_field_const(event);
    const bt_field *payload = bt_event_borrow_payload_field_const(event);
    *ret_slice = (struct ot_slice){
        .backend = ot_backend_clamp(
            (long long)ot_ctf_read_integer(context, &class->context[CONTEXT_BACKEND])),
        .vpid = (int64_t)ot_ctf_read_integer(context, &class->context[CONTEXT_VPID]),
        .vtid = ot_ctf_read_integer(context, &class->context[CONTEXT_VTID]),
        .ts_ns = (int64_t)ot_ctf_read_integer(context, &class->context[CONTEXT_TS]),
    };
    struct ot_text host = ot_ctf_read_string(context, &class->context[CONTEXT_HOSTNAME]);
    struct ot_text name = ot_ctf_read_string(payload, &class->payload[PAYLOAD_NAME]);
    int code = ot_names_intern(intervals->taker.names, host, &ret_slice->host, err);
    if (code == OT_OK)
        code = ot_names_intern(intervals->taker.names, name, &ret_slice->name, err);
    return code;
}

static int add_host(struct ot_intervals *intervals, const struct interval_class *class,
                    const bt_event *event, struct ot_err *err)
{
    struct ot_slice slice;
    int code = read_slice(intervals, class, event, &slice, err);
    if (code < 0)
        return code;
    const bt_field *payload = bt_event_borrow_payload_field_const(event);
    uint64_t dur_ns = ot_ctf_read_integer(payload, &class->payload[PAYLOAD_DUR]);
    slice.dur_ns = dur_ns > INT64_MAX ? INT64_MAX : (int64_t)dur_ns;
    slice.err = ot_ctf_read_integer(payload, &class->payload[PAYLOAD_ERR]) != 0;
    intervals->n_read++;
    return intervals->taker.take_slice(intervals->taker.context, &slice, err);
}

static int add_unclosed(struct ot_intervals *intervals, const struct interval_class *class,
                        const bt_event *event, struct ot_err *err)
{
    struct ot_slice entry;
    int code = read_slice(intervals, class, event, &entry, err);
    return code == OT_OK ? intervals->taker.take_unclosed(intervals->taker.context, &entry, err)
                         : code;
}

static int add_completeness(struct ot_intervals *intervals, const struct interval_class *class,
                            const bt_event *event, struct ot_err *err)
{
    (void)err;
    const bt_field *payload = bt_event_borrow_payload_field_const(event);
    struct ot_counts counts = {0};
    for (size_t i = 0; i < OT_BT2_COUNTS; i++) {
        if (class->counts[i].is_there)
            *ot_bt2_count_of(&counts, i) = ot_ctf_read_integer(payload, &class->counts[i]);
    }
    intervals->taker.take_counts(intervals->taker.context, &counts);
    intervals->has_completeness = true;
    return OT_OK;
}

static int pass_by(struct ot_intervals *intervals, const struct interval_class *class,
                   const bt_event *event, struct ot_err *err)
{
    (void)intervals;
    (void)class;
    (void)event;
    (void)err;
    return OT_OK;
}

/* What each event class is made of. */
static const struct role {
    const char *event_name;
    add_event add;
    size_t n_context; /* the first so many of context_wanted have to be there */
    size_t n_payload;
} roles[] = {
    {OT_BT2_HOST, add_host, N_CONTEXT, N_PAYLOAD},
    {OT_BT2_ANNOTATION, add_host, N_CONTEXT, N_PAYLOAD},
    {OT_BT2_UNCLOSED, add_unclosed, N_CONTEXT, PAYLOAD_NAME + 1},
    {OT_BT2_COMPLETENESS, add_completeness, 0, 0},
};

static int find_members(struct ot_ctf_member *members, const bt_field_class *structure,
                        const struct wanted *wanted, size_t n_wanted, const char *event_name,
                        struct ot_err *err)
{
    for (size_t i = 0; i < n_wanted; i++) {
        members[i] = ot_ctf_find_member(structure, wanted[i].name, wanted[i].type);
        if (!members[i].is_there && wanted[i].or_type)
            members[i] = ot_ctf_find_member(structure, wanted[i].name, wanted[i].or_type);
        if (!members[i].is_there)
            return ot_err_set(err, OT_ERR_INPUT,
                              "event '%s' has no usable field '%s': not an interval stream; put "
                              "filter.optally.interval in front",
                              event_name, wanted[i].name);
    }
    return OT_OK;
}

/* Events of other interval streams at least say where and when; anything else is a raw trace. */
static int init_stranger(struct interval_class *class, const bt_field_class *context,
                         const char *event_name, struct ot_err *err)
{
    class->add = pass_by;
    struct ot_ctf_member host = ot_ctf_find_member(context, "hostname", BT_FIELD_CLASS_TYPE_STRING);
    struct ot_ctf_member ts = ot_ctf_find_member(context, "ts", BT_FIELD_CLASS_TYPE_INTEGER);
    if (host.is_there && ts.is_there)
        return OT_OK;
    return ot_err_set(err, OT_ERR_INPUT,
                      "event '%s' is not an interval; put filter.optally.interval in front",
                      event_name);
}

static int init_class(struct interval_class *class, const bt_event_class *event_class,
                      struct ot_err *err)
{
    const char *event_name = bt_event_class_get_name(event_class);
    const bt_field_class *context = bt_stream_class_borrow_event_common_context_field_class_const(
        bt_event_class_borrow_stream_class_const(event_class));
    const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(event_class);
    *class = (struct interval_class){.event_class = event_class};
    const struct role *role = NULL;
    for (size_t i = 0; event_name && !role && i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (strcmp(event_name, roles[i].event_name) == 0)
            role = &roles[i];
    }
    if (!role)
        return init_stranger(class, context, event_name ? event_name : "", err);
    class->add = role->add;
    for (size_t i = 0; i < OT_BT2_COUNTS; i++)
        class->counts[i] = ot_ctf_find_member(payload, ot_bt2_counts[i].name,
                                              BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);
    int code =
        find_members(class->context, context, context_wanted, role->n_context, event_name, err);
    if (code == OT_OK)
        code =
            find_members(class->payload, payload, payload_wanted, role->n_payload, event_name, err);
    return code;
}

static int find_class(struct ot_intervals *intervals, const bt_event_class *event_class,
                      const struct interval_class **ret_class, struct ot_err *err)
{
    for (size_t i = 0; i < intervals->n_classes; i++) {
        if (intervals->classes[i].event_class == event_class) {
            *ret_class = &intervals->classes[i];
            return OT_OK;
        }
    }
    if (!ot_vec_reserve(&intervals->classes, &intervals->cap, intervals->n_classes + 1,
                        sizeof(*intervals->classes)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for event classes");
    struct interval_class *class = &intervals->classes[intervals->n_classes];
    int code = init_class(class, event_class, err);
    if (code < 0)
        return code;
    bt_event_class_get_ref(event_class);
    intervals->n_classes++;
    *ret_class = class;
    return OT_OK;
}

int ot_intervals_add(struct ot_intervals *intervals, const bt_message *message, struct ot_err *err)
{
    if (bt_message_get_type(message) != BT_MESSAGE_TYPE_EVENT)
        return OT_OK;
    const bt_event *event = bt_message_event_borrow_event_const(message);
    const struct interval_class *class = NULL;
    int code = find_class(intervals, bt_event_borrow_class_const(event), &class, err);
    return class ? class->add(intervals, class, event, err) : code;
}

void ot_intervals_end(struct ot_intervals *intervals)
{
    const struct ot_counts counts = {.events_read = intervals->n_read, .silent_sources = 1};
    if (intervals->n_read && !intervals->has_completeness)
        intervals->taker.take_counts(intervals->taker.context, &counts);
}

void ot_intervals_free(struct ot_intervals *intervals)
{
    if (!intervals)
        return;
    for (size_t i = 0; i < intervals->n_classes; i++)
        bt_event_class_put_ref(intervals->classes[i].event_class);
    free(intervals->classes);
    free(intervals);
}
