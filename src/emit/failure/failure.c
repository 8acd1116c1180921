#include "emit/failure/failure.h"

#include "emit/json/json.h"

static const struct {
    int code;
    const char *name;
} codes[] = {
    {OT_ERR_NOMEM, "out_of_memory"}, {OT_ERR_IO, "io"},           {OT_ERR_INPUT, "bad_input"},
    {OT_ERR_USAGE, "usage"},         {OT_ERR_MISSING, "missing"}, {OT_ERR_DAMAGED, "bad_input"},
};

static const char *name_of(int code)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (codes[i].code == code)
            return codes[i].name;
    }
    return "unknown";
}

static void write_texts(struct ot_json *json, const char *key, const char *const *texts, size_t n)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_begin_array(json);
    for (size_t i = 0; i < n; i++)
        ot_json_text(json, ot_text_of(texts[i]));
    ot_json_end_array(json);
}

void ot_failure_write_json(const struct ot_failure *failure, FILE *out)
{
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "code", ot_text_of(name_of(failure->code)));
    ot_json_put_text(&json, "message", ot_text_of(failure->message));
    ot_json_key(&json, ot_text_of("details"));
    ot_json_begin_object(&json);
    write_texts(&json, "inputs", failure->inputs, failure->n_inputs);
    ot_json_end_object(&json);
    write_texts(&json, "remediation", failure->remediation, failure->n_remediation);
    ot_json_end_object(&json);
    putc('\n', out);
}
