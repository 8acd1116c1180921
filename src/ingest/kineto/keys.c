#include "ingest/kineto/keys.h"

#include <stddef.h>

#include "ingest/kineto/unescape.h"

static const struct key {
    const char *name;
    uint8_t field;
    bool in_args;
} keys[] = {
    {"ph", OT_FIELD_PH, false},
    {"cat", OT_FIELD_CAT, false},
    {"name", OT_FIELD_NAME, false},
    {"pid", OT_FIELD_PID, false},
    {"tid", OT_FIELD_TID, false},
    {"ts", OT_FIELD_TS, false},
    {"dur", OT_FIELD_DUR, false},
    {"id", OT_FIELD_ID, false},
    {"args", OT_FIELD_ARGS, false},
    /* Members of events that mean nothing here, but that an event may begin with. */
    {"s", OT_FIELD_NONE, false},
    {"bp", OT_FIELD_NONE, false},

    {"correlation", OT_FIELD_CORRELATION, true},
    {"device", OT_FIELD_DEVICE, true},
    {"Sequence number", OT_FIELD_SEQUENCE, true},
    {"Fwd thread id", OT_FIELD_FORWARD_THREAD, true},
    {"Input Dims", OT_FIELD_INPUT_DIMS, true},
    {"Input dims", OT_FIELD_INPUT_DIMS_2020, true},
    {"Input type", OT_FIELD_INPUT_TYPES, true},
    {"Call stack", OT_FIELD_CALL_STACK, true},
    {"phase", OT_FIELD_PHASE, true},
    {"Bytes", OT_FIELD_BYTES, true},
    {"Device Type", OT_FIELD_DEVICE_TYPE, true},
    {"Device Id", OT_FIELD_DEVICE_ID, true},
    {"Total Allocated", OT_FIELD_TOTAL_ALLOCATED, true},
    {"name", OT_FIELD_ARGS_NAME, true},
    {"labels", OT_FIELD_ARGS_LABELS, true},
    {"sort_index", OT_FIELD_SORT_INDEX, true},
};

static const struct key *find(struct ot_text name, bool in_args)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (keys[i].in_args == in_args && ot_text_same(name, ot_text_of(keys[i].name)))
            return &keys[i];
    }
    return NULL;
}

unsigned ot_kineto_field_of(const struct ot_json_value *key, bool in_args)
{
    char plain[OT_PLAIN_BYTES];
    const struct key *found = find(ot_kineto_plain(key, plain), in_args);
    return found ? found->field : OT_FIELD_NONE;
}

bool ot_kineto_is_event_key(struct ot_text key)
{
    return find(key, false) != NULL;
}

bool ot_kineto_is_header_key(struct ot_text key)
{
    static const char *const names[] = {
        "ERROR",
        "INFO",
        "baseTimeNanoseconds",
        "cuda_driver_version",
        "cuda_runtime_version",
        "cupti_version",
        "deviceProperties",
        "displayTimeUnit",
        "distributedInfo",
        "hip_driver_version",
        "hip_runtime_version",
        "host_name",
        "profile_memory",
        "record_shapes",
        "roctracer_version",
        "schemaVersion",
        "traceName",
        "trace_id",
        "with_flops",
        "with_modules",
        "with_stack",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (ot_text_same(key, ot_text_of(names[i])))
            return true;
    }
    return false;
}
