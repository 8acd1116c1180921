#include "cli/held.h"

#include <errno.h>
#include <stdio_ext.h>
#include <unistd.h>

enum { HELD_BYTES = 1 << 20 };

static ssize_t pass_on(void *context, const char *bytes, size_t len)
{
    struct ot_held *held = context;
    size_t done = 0;
    held->is_gone = true;
    while (done < len) {
        ssize_t n = write(STDOUT_FILENO, bytes + done, len - done);
        if (n < 0 && errno != EINTR)
            return done ? (ssize_t)done : -1;
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)len;
}

bool ot_held_begin(struct ot_held *held)
{
    held->is_gone = false;
    held->out = fopencookie(held, "w", (cookie_io_functions_t){.write = pass_on});
    if (held->out)
        __fsetlocking(held->out, FSETLOCKING_BYCALLER); /* one thread; a lock per byte is dear */
    return held->out && setvbuf(held->out, NULL, _IOFBF, HELD_BYTES) == 0;
}

bool ot_held_end(struct ot_held *held)
{
    errno = 0;
    bool failed = fflush(held->out) != 0 || ferror(held->out);
    int why = errno ? errno : EIO;
    fclose(held->out);
    held->out = NULL;
    errno = why;
    return !failed;
}

bool ot_held_drop(struct ot_held *held)
{
    __fpurge(held->out);
    fclose(held->out);
    held->out = NULL;
    return !held->is_gone;
}
