#include "capture/clock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tick_clock.h"

/* The second moment comes early, so that a short recording has two that are far enough apart to
 * say how long a tick is. From then on often enough for the slewing of the clock. */
static const int64_t second_moment_ns = 500000000;
static const int64_t period_ns = 10000000000;

/* A line that does not fit on the disk is taken back: nothing is half there. */
static void append(struct ot_clock_file *file, const char *text, size_t len)
{
    if (file->fd < 0)
        return;
    if (pwrite(file->fd, text, len, file->len) == (ssize_t)len) {
        file->len += (off_t)len;
        return;
    }
    int cut = ftruncate(file->fd, file->len);
    (void)cut;
    close(file->fd);
    file->fd = -1;
}

static void add_moment(struct ot_clock_file *file)
{
    char line[96];
    struct ot_oplog_moment moment = ot_tick_clock_moment(file->kind);
    int len = snprintf(line, sizeof(line), "%" PRIu64 " %" PRId64 " %" PRId64 "\n", moment.ticks,
                       moment.monotonic_ns, moment.realtime_ns);
    append(file, line, (size_t)len);
}

int ot_clock_file_open(struct ot_clock_file *file, const char *dir, struct ot_err *err)
{
    char path[PATH_MAX + sizeof(OT_OPLOG_CLOCK_FILE)];
    char boot_id[OT_BOOT_ID_BYTES];
    char head[128];
    snprintf(path, sizeof(path), "%s/" OT_OPLOG_CLOCK_FILE, dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    *file = (struct ot_clock_file){.fd = fd, .kind = ot_tick_clock_choose()};
    ot_boot_id_read(boot_id);
    int len = snprintf(head, sizeof(head), "optally clock 1\nboot %s\nclock %d\n", boot_id,
                       (int)file->kind);
    errno = ENOSPC;
    append(file, head, (size_t)len);
    add_moment(file);
    if (file->fd < 0) {
        int code = ot_err_sys(err, OT_ERR_IO, "%s", path);
        unlink(path);
        return code;
    }
    file->next_ns = ot_tick_clock_ns(CLOCK_MONOTONIC) + second_moment_ns;
    return OT_OK;
}

void ot_clock_file_tick(struct ot_clock_file *file)
{
    int64_t now_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
    if (now_ns < file->next_ns)
        return;
    add_moment(file);
    file->next_ns = now_ns + period_ns;
}

void ot_clock_file_close(struct ot_clock_file *file)
{
    add_moment(file);
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}
