#include "tracer/status.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/tracer_env.h"

void ot_status_line(const char *word, const char *fmt, ...)
{
    const char *path = getenv(OT_ENV_STATUS);
    if (!path)
        return;
    char line[2048];
    int len = snprintf(line, sizeof(line), "%s %ld ", word, (long)getpid());
    va_list args;
    va_start(args, fmt);
    int text_len = vsnprintf(line + len, sizeof(line) - (size_t)len - 1, fmt, args);
    va_end(args);
    if (text_len < 0)
        return;
    size_t room = sizeof(line) - (size_t)len - 2;
    size_t total = (size_t)len + ((size_t)text_len < room ? (size_t)text_len : room);
    line[total++] = '\n';

    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return; /* the recording is over, or its folder is out of reach: nobody to tell */
    ssize_t written = write(fd, line, total);
    (void)written;
    close(fd);
}
