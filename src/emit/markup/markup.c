#include "emit/markup/markup.h"

#include "base/utf8.h"
#include "emit/grid/name.h"

static const char *escape_of(uint32_t code_point)
{
    static const char *const escapes[] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
    };
    if (code_point < sizeof(escapes) / sizeof(escapes[0]))
        return escapes[code_point];
    /* Code points that are UTF-8 but no characters of XML. */
    return code_point == 0xfffe || code_point == 0xffff ? "\xef\xbf\xbd" : NULL;
}

void ot_markup_add(struct ot_str *str, struct ot_text text, int64_t max_size)
{
    struct ot_str name = {0};
    ot_name_add(&name, text, max_size);
    struct ot_text rest = {ot_str_borrow(&name), name.len};
    while (rest.len) {
        uint32_t code_point;
        size_t len = ot_utf8_next(rest, &code_point);
        const char *escape = escape_of(code_point);
        ot_str_add(str, escape ? escape : rest.bytes, escape ? strlen(escape) : len);
        rest = (struct ot_text){rest.bytes + len, rest.len - len};
    }
    str->failed |= name.failed;
    ot_str_release(&name);
}
