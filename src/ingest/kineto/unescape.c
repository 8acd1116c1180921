#include "ingest/kineto/unescape.h"

#include "base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd";

static uint32_t hex4(const char *at)
{
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t c = (unsigned char)at[i];
        value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static size_t encode(uint32_t code_point, char bytes[4])
{
    if (code_point < 0x80) {
        bytes[0] = (char)code_point;
        return 1;
    }
    size_t len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(leads[len] | code_point);
    return len;
}

/* `at` is behind `\u`; the four digits are there. Returns how many bytes it took from there on. */
static size_t read_unicode(const char *at, const char *end, uint32_t *ret_code_point)
{
    uint32_t unit = hex4(at);
    *ret_code_point = unit;
    if (unit < 0xd800 || unit > 0xdfff)
        return 4;
    *ret_code_point = OT_UTF8_REPLACEMENT;
    if (unit > 0xdbff || end - at < 10 || at[4] != '\\' || at[5] != 'u')
        return 4;
    uint32_t low = hex4(at + 6);
    if (low < 0xdc00 || low > 0xdfff)
        return 4;
    *ret_code_point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    return 10;
}

/* `at` is a backslash. Returns how many bytes the escape has. */
static size_t add_escape(const char *at, const char *end, struct ot_str *str, bool *ret_replaced)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *found = strchr(from, at[1]);
    if (found) {
        ot_str_add(str, &to[found - from], 1);
        return 2;
    }
    uint32_t code_point = 0;
    size_t len = 2 + read_unicode(at + 2, end, &code_point);
    char bytes[4];
    ot_str_add(str, bytes, encode(code_point, bytes));
    /* An escaped U+FFFD is one that was replaced before; it is no news. */
    *ret_replaced |= code_point == OT_UTF8_REPLACEMENT && hex4(at + 2) != OT_UTF8_REPLACEMENT;
    return len;
}

static size_t add_bytes(struct ot_text rest, struct ot_str *str, bool *ret_replaced)
{
    uint32_t code_point;
    size_t len = ot_utf8_next(rest, &code_point);
    bool is_text = code_point >= 0x20 && !(code_point == OT_UTF8_REPLACEMENT && len == 1);
    if (is_text)
        ot_str_add(str, rest.bytes, len);
    else
        ot_str_add(str, replacement, sizeof(replacement) - 1);
    *ret_replaced |= !is_text;
    return len;
}

void ot_kineto_unescape(const struct ot_json_value *value, struct ot_str *str, bool *ret_replaced)
{
    const char *at = (const char *)value->at;
    const char *end = at + value->len;
    *ret_replaced = false;
    while (at < end)
        at += *at == '\\' ? add_escape(at, end, str, ret_replaced)
                          : add_bytes((struct ot_text){at, (size_t)(end - at)}, str, ret_replaced);
}

struct ot_text ot_kineto_plain(const struct ot_json_value *value, char plain[OT_PLAIN_BYTES])
{
    struct ot_text text = ot_json_text(value);
    /* An escape has six bytes at most for one of text. */
    if (!(value->flags & OT_JSON_ESCAPES) || value->len > (uint32_t)OT_PLAIN_BYTES * 6)
        return text;
    struct ot_str str = {0};
    bool replaced;
    ot_kineto_unescape(value, &str, &replaced);
    if (!str.failed && str.len <= OT_PLAIN_BYTES) {
        memcpy(plain, ot_str_borrow(&str), str.len);
        text = (struct ot_text){plain, str.len};
    }
    ot_str_release(&str);
    return text;
}
