#include "base/utf8.h"

#include <stdbool.h>

/* Sequence forms of Unicode 15, table 3-6: lead byte, length, smallest code point. */
static const struct form {
    unsigned char mask;
    unsigned char lead;
    unsigned char len;
    uint32_t smallest;
} forms[] = {
    {.mask = 0x80, .lead = 0x00, .len = 1, .smallest = 0},
    {.mask = 0xe0, .lead = 0xc0, .len = 2, .smallest = 0x80},
    {.mask = 0xf0, .lead = 0xe0, .len = 3, .smallest = 0x800},
    {.mask = 0xf8, .lead = 0xf0, .len = 4, .smallest = 0x10000},
};

static bool read_form(const struct form *form, struct ot_text text, uint32_t *ret_code_point)
{
    if (form->len > text.len)
        return false;
    uint32_t code_point = (unsigned char)text.bytes[0] & (unsigned char)~form->mask;
    for (size_t i = 1; i < form->len; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if ((byte & 0xc0) != 0x80)
            return false;
        code_point = code_point << 6 | (byte & 0x3f);
    }
    bool is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    if (code_point < form->smallest || code_point > 0x10ffff || is_surrogate)
        return false;
    *ret_code_point = code_point;
    return true;
}

size_t ot_utf8_next(struct ot_text text, uint32_t *ret_code_point)
{
    unsigned char first = (unsigned char)text.bytes[0];
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if ((first & forms[i].mask) == forms[i].lead && read_form(&forms[i], text, ret_code_point))
            return forms[i].len;
    }
    *ret_code_point = OT_UTF8_REPLACEMENT;
    return 1;
}

size_t ot_utf8_count(struct ot_text text)
{
    size_t count = 0;
    while (text.len) {
        uint32_t code_point;
        size_t len = ot_utf8_next(text, &code_point);
        text = (struct ot_text){text.bytes + len, text.len - len};
        count++;
    }
    return count;
}

static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||
           (code_point >= 0x2028 && code_point <= 0x202e) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

void ot_utf8_add_printable(struct ot_str *str, struct ot_text text)
{
    while (text.len) {
        uint32_t code_point;
        size_t len = ot_utf8_next(text, &code_point);
        if (code_point == OT_UTF8_REPLACEMENT || is_control(code_point))
            ot_str_add_text(str, ot_text_of("\xef\xbf\xbd"));
        else
            ot_str_add(str, text.bytes, len);
        text = (struct ot_text){text.bytes + len, text.len - len};
    }
}

void ot_utf8_add_ascii(struct ot_str *str, struct ot_text text)
{
    while (text.len) {
        uint32_t code_point;
        size_t len = ot_utf8_next(text, &code_point);
        char byte = code_point < 0x7f ? (char)code_point : '?';
        ot_str_add(str, &byte, 1);
        text = (struct ot_text){text.bytes + len, text.len - len};
    }
}
