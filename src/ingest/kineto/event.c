#include "ingest/kineto/event.h"

#include "ingest/kineto/categories.h"
#include "ingest/kineto/marks.h"
#include "ingest/kineto/origin.h"
#include "ingest/kineto/payload.h"
#include "ingest/kineto/place.h"
#include "ingest/kineto/unescape.h"
#include "ingest/kineto/values.h"
#include "model/backend.h"

/* What a driver writes instead of a time that it does not know. */
static const int64_t longest_ns = INT64_C(315360000) * 1000000000;

static const char legacy_process[] = "CPU functions";

static void warn_at(struct ot_kineto_builder *builder, enum ot_warning warning, uint64_t n,
                    uint64_t number, uint64_t offset)
{
    struct ot_kineto_place place = {""};
    if (builder->warnings.of[warning].n == 0)
        place = ot_kineto_place(number, offset, builder->is_packed);
    ot_warnings_add(&builder->warnings, warning, n, place.text);
}

void ot_kineto_warn(struct ot_kineto_builder *builder, enum ot_warning warning)
{
    warn_at(builder, warning, 1, builder->number, builder->offset);
}

/* Empty for what is no string. */
static struct ot_text text_of(const struct ot_kineto_raw *raw, enum ot_kineto_field field,
                              char plain[OT_PLAIN_BYTES])
{
    const struct ot_json_value *value = &raw->values[field];
    return ot_kineto_has(raw, field) && value->type == OT_JSON_STRING
               ? ot_kineto_plain(value, plain)
               : (struct ot_text){"", 0};
}

static bool is_text(const struct ot_kineto_raw *raw, enum ot_kineto_field field, const char *text)
{
    char plain[OT_PLAIN_BYTES];
    return ot_text_same(text_of(raw, field, plain), ot_text_of(text));
}

static bool is_legacy(const struct ot_kineto_builder *builder, const struct ot_event *event)
{
    if (ot_text_same(event->args->process_label, ot_text_of(legacy_process)))
        return true;
    for (size_t i = 0; i < builder->n_legacy_pids; i++) {
        if (event->args->process_label.len == 0 && builder->legacy_pids[i] == event->vpid)
            return true;
    }
    return false;
}

static int find_backend(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                        const struct ot_event *event)
{
    const struct ot_kineto_category *category = raw->category;
    struct ot_text name = event->args->category;
    if (!ot_kineto_has(raw, OT_FIELD_CAT) || raw->category_at != raw->values[OT_FIELD_CAT].at)
        category = ot_kineto_category_of(name);
    if (category)
        return ot_kineto_backend(category, event->name);
    if (name.len == 0 && is_legacy(builder, event)) {
        ot_kineto_warn(builder, OT_WARN_LEGACY_NO_CATEGORY);
        return OT_BACKEND_PYTORCH;
    }
    ot_kineto_warn(builder, OT_WARN_UNKNOWN_CATEGORY);
    return OT_BACKEND_OTHER;
}

/* The parts that slices, memory events and both ends of a pair have. */
static int fill(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                struct ot_event *event, struct ot_err *err)
{
    if (!ot_kineto_has(raw, OT_FIELD_TS)) {
        builder->fault_at = raw->at;
        return ot_err_set(err, OT_ERR_INPUT, "no ts");
    }
    struct ot_event_args *args = &builder->args;
    *args = (struct ot_event_args){0};
    ot_kineto_track(builder, raw, event, args);
    event->name = ot_kineto_text(builder, raw, OT_FIELD_NAME);
    args->category = ot_kineto_text(builder, raw, OT_FIELD_CAT);
    ot_kineto_args(builder, raw, args);
    event->args = args;
    return OT_OK;
}

static void exclude(struct ot_kineto_builder *builder, struct ot_event *event,
                    enum ot_warning warning)
{
    ot_kineto_warn(builder, warning);
    builder->counts.excluded_events++;
    event->kind = OT_EVENT_OTHER;
}

/* A slice whose times cannot be is in no total. */
static int check_times(struct ot_kineto_builder *builder, struct ot_event *event,
                       struct ot_err *err)
{
    event->kind = OT_EVENT_SLICE;
    bool is_hole = event->ts_ns == 0 && event->backend == OT_BACKEND_DEVICE;
    if (event->ts_ns < 0 || event->dur_ns < 0 || event->dur_ns > longest_ns || is_hole) {
        exclude(builder, event, OT_WARN_IMPOSSIBLE_TIME);
        return OT_OK;
    }
    int64_t end_ns;
    if (__builtin_add_overflow(event->ts_ns, event->dur_ns, &end_ns))
        return ot_err_set(err, OT_ERR_INPUT, "ts + dur: more nanoseconds than 64 bits can count");
    if (end_ns > builder->latest_ns)
        builder->latest_ns = end_ns;
    return OT_OK;
}

static bool has_duration(const struct ot_kineto_raw *raw)
{
    return ot_kineto_has(raw, OT_FIELD_DUR) &&
           !ot_text_same(ot_json_text(&raw->values[OT_FIELD_DUR]), ot_text_of("null"));
}

static int build_slice(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                       struct ot_event *event, struct ot_err *err)
{
    int code = fill(builder, raw, event, err);
    if (code < 0)
        return code;
    event->backend = find_backend(builder, raw, event);
    if (!has_duration(raw)) {
        exclude(builder, event, OT_WARN_MISSING_DURATION);
        return OT_OK;
    }
    code = ot_kineto_dur(builder, raw, &event->dur_ns, err);
    return code < 0 ? code : check_times(builder, event, err);
}

static int build_instant(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                         struct ot_event *event, struct ot_err *err)
{
    if (!is_text(raw, OT_FIELD_NAME, "[memory]"))
        return OT_OK;
    int code = fill(builder, raw, event, err);
    if (code < 0)
        return code;
    event->kind = OT_EVENT_MEMORY;
    if (!ot_kineto_whole(raw, OT_FIELD_BYTES, &builder->args.bytes))
        exclude(builder, event, OT_WARN_BAD_MEMORY_EVENT);
    return OT_OK;
}

static int build_begin(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                       struct ot_event *event, struct ot_err *err)
{
    int code = fill(builder, raw, event, err);
    if (code < 0)
        return code;
    event->backend = find_backend(builder, raw, event);
    struct ot_open_place place = {builder->number, builder->offset};
    return ot_open_calls_push(&builder->open, event, place, err);
}

static void lose_calls(struct ot_kineto_builder *builder, const struct ot_open_lost *lost)
{
    if (lost->n == 0)
        return;
    builder->counts.unclosed_entries += lost->n;
    warn_at(builder, OT_WARN_UNMATCHED_BEGIN_END, lost->n, lost->first.number, lost->first.offset);
}

static int build_end(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                     struct ot_event *event, struct ot_err *err)
{
    int code = fill(builder, raw, event, err);
    if (code < 0)
        return code;
    struct ot_open_lost lost = {0};
    code = ot_open_calls_pop(&builder->open, event, &lost, err);
    if (code == OT_END) {
        builder->counts.unmatched_exits++;
        ot_kineto_warn(builder, OT_WARN_UNMATCHED_BEGIN_END);
        return OT_OK;
    }
    lose_calls(builder, &lost);
    builder->counts.lost_entries += lost.n;
    event->was_open = true;
    builder->fault_at = raw->at;
    return code < 0 ? code : check_times(builder, event, err);
}

/* Traces of before Kineto have no categories, and tell operators by the name of their process. */
static int build_metadata(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                          struct ot_event *event, struct ot_err *err)
{
    (void)err;
    if (builder->want_marks)
        ot_kineto_build_label(builder, raw, event);
    if (!is_text(raw, OT_FIELD_NAME, "process_name") ||
        !is_text(raw, OT_FIELD_ARGS_NAME, legacy_process) ||
        builder->n_legacy_pids == OT_LEGACY_PIDS_MAX)
        return OT_OK;
    ot_kineto_track(builder, raw, event, &builder->args);
    if (builder->args.process_label.len)
        return OT_OK;
    builder->legacy_pids[builder->n_legacy_pids++] = event->vpid;
    return OT_OK;
}

static int build_flow(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                      struct ot_event *event, struct ot_err *err)
{
    (void)err;
    if (builder->want_marks)
        ot_kineto_build_flow(builder, raw, is_text(raw, OT_FIELD_PH, "s"), event);
    return OT_OK;
}

static int (*const builders[])(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                               struct ot_event *event, struct ot_err *err) = {
    ['X'] = build_slice, ['i'] = build_instant,  ['I'] = build_instant, ['B'] = build_begin,
    ['E'] = build_end,   ['M'] = build_metadata, ['s'] = build_flow,    ['f'] = build_flow,
};

/* Its letter, 0 if it has none. */
static unsigned char phase_of(const struct ot_kineto_raw *raw)
{
    char plain[OT_PLAIN_BYTES];
    struct ot_text text = text_of(raw, OT_FIELD_PH, plain);
    return text.len == 1 ? (unsigned char)text.bytes[0] : 0;
}

static void look_for_origin(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                            const struct ot_event *event)
{
    char category[OT_PLAIN_BYTES];
    char name[OT_PLAIN_BYTES];
    builder->is_of_torch = ot_kineto_is_of_torch(text_of(raw, OT_FIELD_CAT, category),
                                                 text_of(raw, OT_FIELD_NAME, name)) ||
                           (event->args && is_legacy(builder, event));
    builder->n_foreign += !builder->is_of_torch;
}

static int add_text(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                    struct ot_event *event, struct ot_err *err)
{
    if (!event->args)
        ot_kineto_track(builder, raw, event, &builder->args);
    const struct ot_session *facts = builder->facts;
    event->host = facts->host;
    builder->fault_at = raw->at;
    if (facts->has_base && __builtin_add_overflow(event->ts_ns, facts->base_ns, &event->ts_ns))
        return ot_err_set(err, OT_ERR_INPUT,
                          "ts and baseTimeNanoseconds: more nanoseconds than 64 bits can count");
    return ot_kineto_add_payload(builder, raw, event, err);
}

int ot_kineto_build(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                    struct ot_event *ret_event, struct ot_err *err)
{
    struct ot_event event = {
        .kind = OT_EVENT_OTHER,
        .session = builder->session,
        .vpid = -1,
    };
    builder->n_texts = 0;
    if (raw->repeated)
        ot_kineto_warn(builder, OT_WARN_DUPLICATE_KEY);
    int code = OT_OK;
    if (ot_kineto_has(raw, OT_FIELD_TS))
        code = ot_kineto_ts(builder, raw, &event.ts_ns, err);
    unsigned char phase = phase_of(raw);
    if (code == OT_OK && phase < sizeof(builders) / sizeof(builders[0]) && builders[phase])
        code = builders[phase](builder, raw, &event, err);
    if (code == OT_OK && !builder->is_of_torch && phase != 'M')
        look_for_origin(builder, raw, &event);
    if (code == OT_OK && builder->want_text)
        code = add_text(builder, raw, &event, err);
    if (code < 0)
        return code;
    if (event.kind == OT_EVENT_OTHER)
        event.args = NULL;
    *ret_event = event;
    return OT_OK;
}

void ot_kineto_build_end(struct ot_kineto_builder *builder)
{
    struct ot_open_lost lost = ot_open_calls_rest(&builder->open);
    lose_calls(builder, &lost);
}

void ot_kineto_builder_release(struct ot_kineto_builder *builder)
{
    for (size_t i = 0; i < OT_EVENT_TEXTS; i++)
        ot_str_release(&builder->texts[i]);
    ot_str_release(&builder->payload);
    ot_open_calls_release(&builder->open);
}
