#include "base/str.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool reserve(struct ot_str *str, size_t more)
{
    if (str->failed)
        return false;
    if (more < str->cap - str->len)
        return true;
    if (more >= SIZE_MAX / 2 - str->len) {
        str->failed = true;
        return false;
    }
    size_t cap = str->cap ? str->cap : 64;
    while (cap <= str->len + more)
        cap *= 2;
    char *bytes = realloc(str->bytes, cap);
    if (!bytes) {
        str->failed = true;
        return false;
    }
    str->bytes = bytes;
    str->cap = cap;
    return true;
}

void ot_str_add(struct ot_str *str, const char *bytes, size_t len)
{
    if (!reserve(str, len))
        return;
    if (len)
        memcpy(str->bytes + str->len, bytes, len);
    str->len += len;
    str->bytes[str->len] = '\0';
}

void ot_str_add_text(struct ot_str *str, struct ot_text text)
{
    ot_str_add(str, text.bytes, text.len);
}

void ot_str_addf(struct ot_str *str, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0 || !reserve(str, (size_t)len)) {
        str->failed = true;
        return;
    }
    va_start(args, fmt);
    vsnprintf(str->bytes + str->len, (size_t)len + 1, fmt, args);
    va_end(args);
    str->len += (size_t)len;
}

void ot_str_clear(struct ot_str *str)
{
    str->len = 0;
    if (str->bytes)
        str->bytes[0] = '\0';
}

const char *ot_str_borrow(const struct ot_str *str)
{
    return str->bytes ? str->bytes : "";
}

void ot_str_release(struct ot_str *str)
{
    if (!str)
        return;
    free(str->bytes);
    *str = (struct ot_str){0};
}
