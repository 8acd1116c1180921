#include <stdarg.h>
#include <stdio.h>

#include "cli/verb.h"

void ot_complain(const char *verb, const char *fmt, ...)
{
    fflush(stdout);
    fprintf(stderr, "optally%s%s: ", verb ? " " : "", verb ? verb : "");
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    putc('\n', stderr);
}
