#include "ingest/kineto/payload.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "ingest/kineto/lex.h"
#include "ingest/kineto/values.h"

enum { MAX_VALUE_BYTES = 16 * 1024 };

/* A string with its quotes, anything else as it is written. */
static struct ot_text written(const struct ot_json_value *value)
{
    struct ot_text text = ot_json_text(value);
    if (value->type == OT_JSON_STRING)
        return (struct ot_text){text.bytes - 1, text.len + 2};
    return text;
}

/* Where the run of bytes from `at` on ends that is all white space, or has none outside strings. */
static size_t run_end(struct ot_text text, size_t at, bool *in_string)
{
    bool space = !*in_string && lex_is_space((unsigned char)text.bytes[at]);
    for (; at < text.len; at++) {
        char c = text.bytes[at];
        if ((!*in_string && lex_is_space((unsigned char)c)) != space)
            break;
        if (c == '"')
            *in_string = !*in_string;
        else if (c == '\\' && at + 1 < text.len)
            at++;
    }
    return at;
}

static void add_written(struct ot_str *str, const char *name, const struct ot_json_value *value)
{
    struct ot_text text = written(value);
    bool is_cut = text.len > MAX_VALUE_BYTES;
    if (is_cut)
        text.len = MAX_VALUE_BYTES;
    ot_str_addf(str, "%s%s: ", str->len ? ", " : "", name);
    bool in_string = false;
    for (size_t at = 0; at < text.len;) {
        bool space = !in_string && lex_is_space((unsigned char)text.bytes[at]);
        size_t end = run_end(text, at, &in_string);
        if (space)
            ot_str_add(str, " ", 1);
        else
            ot_utf8_add_printable(str, (struct ot_text){text.bytes + at, end - at});
        at = end;
    }
    if (is_cut)
        ot_str_add_text(str, ot_text_of("..."));
}

int ot_kineto_add_payload(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                          struct ot_event *event, struct ot_err *err)
{
    struct ot_str *payload = &builder->payload;
    ot_str_clear(payload);
    if (ot_kineto_has(raw, OT_FIELD_NAME))
        add_written(payload, "name", &raw->values[OT_FIELD_NAME]);
    if (ot_kineto_has(raw, OT_FIELD_PH))
        add_written(payload, "ph", &raw->values[OT_FIELD_PH]);
    /* What the numbers of process and thread do not say. */
    if (builder->args.process_label.len)
        add_written(payload, "pid", &raw->values[OT_FIELD_PID]);
    if (builder->args.thread_label.len)
        add_written(payload, "tid", &raw->values[OT_FIELD_TID]);
    if (event->kind == OT_EVENT_SLICE)
        ot_str_addf(payload, ", dur: %" PRId64 " ns", event->dur_ns);
    if (ot_kineto_has(raw, OT_FIELD_ARGS))
        add_written(payload, "args", &raw->values[OT_FIELD_ARGS]);
    if (payload->failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a line");
    event->payload = (struct ot_text){ot_str_borrow(payload), payload->len};
    bool has_category = ot_kineto_has(raw, OT_FIELD_CAT) && raw->values[OT_FIELD_CAT].len > 0;
    event->event_name = ot_kineto_text(builder, raw, has_category ? OT_FIELD_CAT : OT_FIELD_PH);
    return OT_OK;
}
