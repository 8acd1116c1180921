#include "ingest/kineto/marks.h"

#include "base/hash.h"
#include "ingest/kineto/decimal.h"
#include "ingest/kineto/unescape.h"
#include "ingest/kineto/values.h"

static const struct label {
    const char *name;
    uint8_t field;
    uint8_t kind; /* of enum ot_label_kind */
    bool is_order;
} labels[] = {
    {"process_name", OT_FIELD_ARGS_NAME, OT_LABEL_PROCESS, false},
    {"process_labels", OT_FIELD_ARGS_LABELS, OT_LABEL_PROCESS_NOTE, false},
    {"thread_name", OT_FIELD_ARGS_NAME, OT_LABEL_THREAD, false},
    {"process_sort_index", OT_FIELD_SORT_INDEX, OT_LABEL_PROCESS_ORDER, true},
    {"thread_sort_index", OT_FIELD_SORT_INDEX, OT_LABEL_THREAD_ORDER, true},
};

static bool is_scalar(const struct ot_kineto_raw *raw, enum ot_kineto_field field)
{
    return ot_kineto_has(raw, field) &&
           (raw->values[field].type == OT_JSON_STRING || raw->values[field].type == OT_JSON_NUMBER);
}

static const struct label *find_label(const struct ot_kineto_raw *raw)
{
    char plain[OT_PLAIN_BYTES];
    if (!is_scalar(raw, OT_FIELD_NAME))
        return NULL;
    struct ot_text name = ot_kineto_plain(&raw->values[OT_FIELD_NAME], plain);
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (ot_text_same(name, ot_text_of(labels[i].name)))
            return &labels[i];
    }
    return NULL;
}

void ot_kineto_build_label(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                           struct ot_event *event)
{
    const struct label *label = find_label(raw);
    if (!label || !is_scalar(raw, label->field))
        return;
    struct ot_event_args *args = &builder->args;
    *args = (struct ot_event_args){.label_kind = label->kind};
    if (label->is_order && !ot_kineto_whole(raw, label->field, &args->order))
        return;
    if (!label->is_order)
        args->label = ot_kineto_text(builder, raw, label->field);
    ot_kineto_track(builder, raw, event, args);
    event->kind = OT_EVENT_LABEL;
    event->args = args;
}

/* Ends of one arrow write the same id the same way, so that its hash does where it is no number. */
static uint64_t flow_of(const struct ot_kineto_raw *raw)
{
    struct ot_text id = ot_json_text(&raw->values[OT_FIELD_ID]);
    uint64_t number;
    return ot_decimal_uint(id, &number) ? number : ot_hash_bytes(id.bytes, id.len);
}

void ot_kineto_build_flow(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                          bool is_start, struct ot_event *event)
{
    if (!ot_kineto_has(raw, OT_FIELD_TS) || !is_scalar(raw, OT_FIELD_ID))
        return;
    struct ot_event_args *args = &builder->args;
    *args = (struct ot_event_args){.flow = flow_of(raw), .is_flow_start = is_start};
    ot_kineto_track(builder, raw, event, args);
    event->name = ot_kineto_text(builder, raw, OT_FIELD_NAME);
    args->category = ot_kineto_text(builder, raw, OT_FIELD_CAT);
    event->kind = OT_EVENT_FLOW;
    event->args = args;
}
