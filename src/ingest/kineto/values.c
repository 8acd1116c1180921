#include "ingest/kineto/values.h"

#include <stddef.h>
#include <string.h>

#include "ingest/kineto/decimal.h"
#include "ingest/kineto/unescape.h"
#include "model/label.h"

static struct ot_text text_of(struct ot_kineto_builder *builder, const struct ot_json_value *value)
{
    bool is_plain = value->type != OT_JSON_STRING || !value->flags;
    if (is_plain || builder->n_texts == OT_EVENT_TEXTS)
        return ot_json_text(value);
    struct ot_str *str = &builder->texts[builder->n_texts++];
    bool replaced;
    ot_str_clear(str);
    ot_kineto_unescape(value, str, &replaced);
    if (replaced)
        ot_kineto_warn(builder, OT_WARN_REPLACED_CHARACTERS);
    return (struct ot_text){ot_str_borrow(str), str->len};
}

struct ot_text ot_kineto_text(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                              enum ot_kineto_field field)
{
    if (!ot_kineto_has(raw, field))
        return (struct ot_text){"", 0};
    return text_of(builder, &raw->values[field]);
}

static int read_time(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                     enum ot_kineto_field field, const char *name, enum ot_decimal *ret_exactness,
                     int64_t *ret_ns, struct ot_err *err)
{
    const struct ot_json_value *value = &raw->values[field];
    bool is_number = value->type == OT_JSON_NUMBER ||
                     (value->type == OT_JSON_STRING && ot_decimal_is_number(ot_json_text(value)));
    builder->fault_at = value->at - (value->type == OT_JSON_STRING);
    if (!is_number)
        return ot_err_set(err, OT_ERR_INPUT, "%s: not a number", name);
    *ret_exactness = ot_decimal_scaled(ot_json_text(value), 3, ret_ns);
    return OT_OK;
}

int ot_kineto_ts(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                 int64_t *ret_ns, struct ot_err *err)
{
    enum ot_decimal exactness = OT_DECIMAL_OK;
    int code = read_time(builder, raw, OT_FIELD_TS, "ts", &exactness, ret_ns, err);
    if (code == OT_OK && exactness == OT_DECIMAL_OVERFLOW)
        return ot_err_set(err, OT_ERR_INPUT, "ts: more nanoseconds than 64 bits can count");
    return code;
}

int ot_kineto_dur(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                  int64_t *ret_ns, struct ot_err *err)
{
    enum ot_decimal exactness = OT_DECIMAL_OK;
    int64_t dur_ns = 0;
    int code = read_time(builder, raw, OT_FIELD_DUR, "dur", &exactness, &dur_ns, err);
    if (code == OT_OK)
        *ret_ns = exactness == OT_DECIMAL_OVERFLOW ? INT64_MAX : dur_ns;
    return code;
}

static bool is_scalar(const struct ot_json_value *value)
{
    return value->type == OT_JSON_NUMBER || value->type == OT_JSON_STRING;
}

bool ot_kineto_whole(const struct ot_kineto_raw *raw, enum ot_kineto_field field,
                     int64_t *ret_value)
{
    const struct ot_json_value *value = &raw->values[field];
    return ot_kineto_has(raw, field) && is_scalar(value) &&
           ot_decimal_int(ot_json_text(value), ret_value);
}

void ot_kineto_track(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                     struct ot_event *event, struct ot_event_args *args)
{
    event->vpid = -1;
    event->vtid = 0;
    args->process_label = (struct ot_text){"", 0};
    args->thread_label = (struct ot_text){"", 0};
    const struct ot_json_value *pid = &raw->values[OT_FIELD_PID];
    if (ot_kineto_has(raw, OT_FIELD_PID) && is_scalar(pid) &&
        (!ot_decimal_int(ot_json_text(pid), &event->vpid) || ot_vpid_is_reserved(event->vpid))) {
        event->vpid = -1;
        args->process_label = text_of(builder, pid);
    }
    const struct ot_json_value *tid = &raw->values[OT_FIELD_TID];
    if (!ot_kineto_has(raw, OT_FIELD_TID) || !is_scalar(tid))
        return;
    int64_t negative = 0;
    bool is_number = ot_decimal_uint(ot_json_text(tid), &event->vtid);
    if (!is_number && ot_decimal_int(ot_json_text(tid), &negative)) {
        event->vtid = (uint64_t)negative;
        is_number = true;
    }
    if (is_number && !ot_vtid_is_reserved(event->vtid))
        return;
    event->vtid = 0;
    args->thread_label = text_of(builder, tid);
}

/* Where a whole number of args goes. */
static const struct whole {
    uint8_t field;
    size_t value_at;
    size_t has_at;
} wholes[] = {
#define WHOLE(field, value, has)                                                                   \
    {                                                                                              \
        field, offsetof(struct ot_event_args, value), offsetof(struct ot_event_args, has)          \
    }
    WHOLE(OT_FIELD_DEVICE, device, has_device),
    WHOLE(OT_FIELD_SEQUENCE, sequence, has_sequence),
    WHOLE(OT_FIELD_DEVICE_TYPE, device_type, has_device_type),
    WHOLE(OT_FIELD_DEVICE_ID, device_id, has_device_id),
    WHOLE(OT_FIELD_TOTAL_ALLOCATED, total_allocated, has_total_allocated),
#undef WHOLE
};

static void read_correlation(const struct ot_kineto_raw *raw, struct ot_event_args *args)
{
    const struct ot_json_value *value = &raw->values[OT_FIELD_CORRELATION];
    args->has_correlation = ot_kineto_has(raw, OT_FIELD_CORRELATION) && is_scalar(value) &&
                            ot_decimal_uint(ot_json_text(value), &args->correlation) &&
                            args->correlation != 0;
}

void ot_kineto_args(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                    struct ot_event_args *args)
{
    if (!(raw->seen & OT_FIELDS_OF_ARGS))
        return;
    for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
        int64_t value;
        if (!ot_kineto_whole(raw, wholes[i].field, &value))
            continue;
        memcpy((char *)args + wholes[i].value_at, &value, sizeof(value));
        *((bool *)args + wholes[i].has_at) = true;
    }
    read_correlation(raw, args);
    ot_kineto_whole(raw, OT_FIELD_FORWARD_THREAD, &args->forward_thread);

    bool is_2020 = !ot_kineto_has(raw, OT_FIELD_INPUT_DIMS);
    enum ot_kineto_field dims = is_2020 ? OT_FIELD_INPUT_DIMS_2020 : OT_FIELD_INPUT_DIMS;
    if (ot_kineto_has(raw, dims))
        args->shapes = ot_json_text(&raw->values[dims]);
    if (ot_kineto_has(raw, OT_FIELD_INPUT_TYPES))
        args->types = ot_json_text(&raw->values[OT_FIELD_INPUT_TYPES]);
    const struct ot_json_value *stack = &raw->values[OT_FIELD_CALL_STACK];
    args->has_call_stack =
        ot_kineto_has(raw, OT_FIELD_CALL_STACK) && stack->type == OT_JSON_STRING && stack->len > 0;
    const struct ot_json_value *device = &raw->values[OT_FIELD_DEVICE];
    bool is_reserved = args->has_device && ot_vpid_is_reserved(args->device);
    bool is_name = !args->has_device && device->type == OT_JSON_STRING;
    args->has_device &= !is_reserved;
    if (ot_kineto_has(raw, OT_FIELD_DEVICE) && (is_name || is_reserved))
        args->device_label = ot_kineto_text(builder, raw, OT_FIELD_DEVICE);
    args->has_phase =
        ot_kineto_has(raw, OT_FIELD_PHASE) && raw->values[OT_FIELD_PHASE].type == OT_JSON_STRING;
    if (args->has_phase)
        args->phase = ot_kineto_text(builder, raw, OT_FIELD_PHASE);
}
