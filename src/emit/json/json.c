#include "emit/json/json.h"

#include <inttypes.h>

#include "base/units.h"
#include "base/utf8.h"

static void before_value(struct ot_json *json)
{
    if (json->needs_comma)
        putc(',', json->out);
    json->needs_comma = true;
}

static void open_with(struct ot_json *json, char bracket)
{
    before_value(json);
    putc(bracket, json->out);
    json->needs_comma = false;
}

static void close_with(struct ot_json *json, char bracket)
{
    putc(bracket, json->out);
    json->needs_comma = true;
}

void ot_json_begin_object(struct ot_json *json)
{
    open_with(json, '{');
}

void ot_json_end_object(struct ot_json *json)
{
    close_with(json, '}');
}

void ot_json_begin_array(struct ot_json *json)
{
    open_with(json, '[');
}

void ot_json_end_array(struct ot_json *json)
{
    close_with(json, ']');
}

/* RFC 8259, section 7: the others have to be escaped; DEL is too, for the terminal's sake. */
static bool stands_as_it_is(uint32_t code_point)
{
    return code_point >= 0x20 && code_point != '"' && code_point != '\\' && code_point != 0x7f &&
           code_point != OT_UTF8_REPLACEMENT;
}

static void write_escaped(FILE *out, uint32_t code_point)
{
    if (code_point == '"' || code_point == '\\')
        fprintf(out, "\\%c", (char)code_point);
    else if (code_point == OT_UTF8_REPLACEMENT)
        fputs("\xef\xbf\xbd", out);
    else
        fprintf(out, "\\u%04" PRIx32, code_point);
}

static void write_string(FILE *out, struct ot_text text)
{
    size_t from = 0; /* what stands as it is, and is not written yet */
    putc('"', out);
    for (size_t i = 0; i < text.len;) {
        uint32_t code_point;
        size_t len = ot_utf8_next((struct ot_text){text.bytes + i, text.len - i}, &code_point);
        if (!stands_as_it_is(code_point)) {
            fwrite(text.bytes + from, 1, i - from, out);
            write_escaped(out, code_point);
            from = i + len;
        }
        i += len;
    }
    if (from < text.len)
        fwrite(text.bytes + from, 1, text.len - from, out);
    putc('"', out);
}

void ot_json_key(struct ot_json *json, struct ot_text key)
{
    before_value(json);
    write_string(json->out, key);
    putc(':', json->out);
    json->needs_comma = false;
}

void ot_json_text(struct ot_json *json, struct ot_text text)
{
    before_value(json);
    write_string(json->out, text);
}

void ot_json_unsigned(struct ot_json *json, uint64_t value)
{
    before_value(json);
    fprintf(json->out, "%" PRIu64, value);
}

void ot_json_signed(struct ot_json *json, int64_t value)
{
    before_value(json);
    fprintf(json->out, "%" PRId64, value);
}

void ot_json_number(struct ot_json *json, const char *digits)
{
    before_value(json);
    fputs(digits, json->out);
}

void ot_json_bool(struct ot_json *json, bool value)
{
    before_value(json);
    fputs(value ? "true" : "false", json->out);
}

void ot_json_null(struct ot_json *json)
{
    before_value(json);
    fputs("null", json->out);
}

void ot_json_put_text(struct ot_json *json, const char *key, struct ot_text text)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_text(json, text);
}

void ot_json_put_unsigned(struct ot_json *json, const char *key, uint64_t value)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_unsigned(json, value);
}

void ot_json_put_signed(struct ot_json *json, const char *key, int64_t value)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_signed(json, value);
}

void ot_json_put_bool(struct ot_json *json, const char *key, bool value)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_bool(json, value);
}

void ot_json_put_signed_if(struct ot_json *json, const char *key, bool is_there, int64_t value)
{
    ot_json_key(json, ot_text_of(key));
    if (is_there)
        ot_json_signed(json, value);
    else
        ot_json_null(json);
}

void ot_json_put_mean(struct ot_json *json, const char *key, uint64_t sum, uint64_t count)
{
    ot_json_key(json, ot_text_of(key));
    if (count == 0) {
        ot_json_null(json);
        return;
    }
    if (sum % count == 0) {
        ot_json_unsigned(json, sum / count);
        return;
    }
    char text[OT_UNITS_BYTES];
    ot_units_fixed(text, (double)sum / (double)count, 3);
    ot_json_number(json, text);
}
