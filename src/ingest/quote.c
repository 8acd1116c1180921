#include "ingest/quote.h"

#include "base/utf8.h"

static void add_escaped(struct ot_str *str, struct ot_text text)
{
    static const char letters[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    for (size_t start = 0; start < text.len;) {
        uint32_t code_point;
        struct ot_text rest = {text.bytes + start, text.len - start};
        size_t len = ot_utf8_next(rest, &code_point);
        struct ot_text one = {rest.bytes, len};
        unsigned char byte = (unsigned char)rest.bytes[0];
        if (byte == '"' || byte == '\\')
            ot_str_addf(str, "\\%c", byte);
        else if (byte < sizeof(letters) && letters[byte])
            ot_str_addf(str, "\\%c", letters[byte]);
        else if (byte < 0x20 || byte == 0x7f || (len == 1 && byte >= 0x80))
            ot_str_addf(str, "\\x%02x", byte);
        else
            ot_utf8_add_printable(str, one);
        start += len;
    }
}

void ot_quote_add(struct ot_str *str, struct ot_text text)
{
    ot_str_add(str, "\"", 1);
    add_escaped(str, text);
    ot_str_add(str, "\"", 1);
}
