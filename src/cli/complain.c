#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/verb.h"

enum { MAX_BYTES = 8192 };

void ot_complain(const char *verb, const char *fmt, ...)
{
    char raw[MAX_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(raw, sizeof(raw), fmt, args);
    va_end(args);
    struct ot_str line = {0};
    ot_utf8_add_printable(&line, ot_text_of(raw));
    fflush(stdout);
    fprintf(stderr, "optally%s%s: %s\n", verb ? " " : "", verb ? verb : "",
            line.failed ? raw : ot_str_borrow(&line));
    ot_str_release(&line);
}
