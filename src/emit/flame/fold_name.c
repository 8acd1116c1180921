#include "emit/flame/fold_name.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/utf8.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The blank of ` 12`, ` 1.` or ` 1.5` at the end of a name; -1: none. */
static ptrdiff_t blank_of_number(const char *bytes, size_t from, size_t len)
{
    size_t i = len;
    while (i > from && (is_digit(bytes[i - 1]) || bytes[i - 1] == '.'))
        i--;
    bool is_number = i < len && is_digit(bytes[i]);
    return is_number && i > from && bytes[i - 1] == ' ' ? (ptrdiff_t)i - 1 : -1;
}

void flame_fold_name(struct ot_str *str, struct ot_text name)
{
    size_t from = str->len;
    if (name.len == 0)
        name = ot_text_of("(no name)");
    ot_utf8_add_printable(str, name);
    if (str->failed)
        return;
    for (size_t i = from; i < str->len; i++) {
        if (str->bytes[i] == ';')
            str->bytes[i] = ':';
    }
    ptrdiff_t blank = blank_of_number(str->bytes, from, str->len);
    if (blank >= 0)
        str->bytes[blank] = '_';
}
