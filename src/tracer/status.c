#include "tracer/status.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tracer_env.h"

static char path[PATH_MAX]; /* "": nobody to tell */
static bool is_open;

void ot_status_open(void)
{
    const char *given = getenv(OT_ENV_STATUS);
    size_t size = given ? strlen(given) + 1 : 0;
    if (size <= sizeof(path))
        memcpy(path, given ? given : "", size);
    is_open = true;
}

void ot_status_line(const char *word, const char *fmt, ...)
{
    if (!is_open)
        ot_status_open();
    if (path[0] == '\0')
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
    /* Beyond a limit on the size of files the write would bring SIGXFSZ. */
    struct stat st;
    struct rlimit limit;
    if (fstat(fd, &st) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        (limit.rlim_cur == RLIM_INFINITY || (uint64_t)st.st_size + total <= limit.rlim_cur)) {
        ssize_t written = write(fd, line, total);
        (void)written;
    }
    close(fd);
}
