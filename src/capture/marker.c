#include "capture/marker.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/recording.h"

/* A few lines find room on a full disk, too, in the block that the file has already. */
bool ot_marker_add(const char *dir, const char *fmt, ...)
{
    char path[PATH_MAX + sizeof(OT_RECORDING_FILE)];
    char line[1100];
    struct stat before;
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(line, sizeof(line) - 1, fmt, args);
    va_end(args);
    if (len < 0)
        return false;
    len = len < (int)sizeof(line) - 2 ? len : (int)sizeof(line) - 2;
    line[len++] = '\n';
    snprintf(path, sizeof(path), "%s/" OT_RECORDING_FILE, dir);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = fstat(fd, &before) == 0 && write(fd, line, (size_t)len) == len;
    if (!done && ftruncate(fd, before.st_size) < 0)
        done = false;
    return close(fd) == 0 && done;
}
