#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Control characters would break the promise of one line; a name from a trace may hold any. */
static void flatten(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
    }
}

static void write_sentence(struct ot_err *err, const char *fmt, va_list args)
{
    vsnprintf(err->msg, sizeof(err->msg), fmt, args);
    flatten(err->msg);
}

int ot_err_set(struct ot_err *err, int code, const char *fmt, ...)
{
    if (!err)
        return code;
    va_list args;
    va_start(args, fmt);
    write_sentence(err, fmt, args);
    va_end(args);
    return code;
}

int ot_err_sys(struct ot_err *err, int code, const char *fmt, ...)
{
    int saved = errno;
    if (err) {
        va_list args;
        va_start(args, fmt);
        write_sentence(err, fmt, args);
        va_end(args);
        size_t len = strlen(err->msg);
        snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", strerror(saved));
    }
    errno = saved;
    return code;
}

void ot_err_context(struct ot_err *err, const char *fmt, ...)
{
    if (!err)
        return;
    struct ot_err tail = *err;
    va_list args;
    va_start(args, fmt);
    write_sentence(err, fmt, args);
    va_end(args);
    size_t len = strlen(err->msg);
    snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", tail.msg);
}
