#include "corpus/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "corpus/disk.h"

enum { TEXT_BYTES = 512, HOST_BYTES = 128, COMMAND_BYTES = 128, TIME_BYTES = 32 };
enum { TRY_NS = 50000000 };

static void say_who(int fd, const char *command)
{
    char host[HOST_BYTES] = "unknown";
    char text[TEXT_BYTES];
    gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "%ld %s %lld %s\n", (long)getpid(), host, (long long)time(NULL),
             command);
    /* Nothing depends on it: with a full disk nobody is named. */
    ssize_t n = ftruncate(fd, 0) == 0 ? pwrite(fd, text, strlen(text), 0) : 0;
    (void)n;
}

static int refuse(const struct ot_corpus *corpus, int fd, struct ot_err *err)
{
    char text[TEXT_BYTES] = "";
    char host[HOST_BYTES];
    char command[COMMAND_BYTES];
    char when[TIME_BYTES] = "";
    long pid = 0;
    long long since = 0;
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%ld %127s %lld %127[^\n]", &pid, host, &since, command) != 4)
        return ot_err_set(err, OT_ERR_IO,
                          "the store %s is being written by another process: try again when it is "
                          "done, or wait for it with --wait SECONDS",
                          corpus->root);
    struct tm local;
    time_t since_s = (time_t)since;
    if (localtime_r(&since_s, &local))
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &local);
    return ot_err_set(
        err, OT_ERR_IO,
        "the store %s is being written by %s (process %ld on %s, since %s): try again "
        "when it is done, or wait for it with --wait SECONDS",
        corpus->root, command, pid, host, when);
}

static int take_open(const struct ot_corpus *corpus, int fd, const char *command, int64_t wait_ns,
                     struct ot_err *err)
{
    int64_t until_ns = ot_tick_clock_ns(CLOCK_MONOTONIC) + wait_ns;
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK)
            return ot_err_sys(err, OT_ERR_IO, "%s/lock", corpus->root);
        if (ot_tick_clock_ns(CLOCK_MONOTONIC) >= until_ns)
            return refuse(corpus, fd, err);
        nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
    }
    say_who(fd, command);
    return OT_OK;
}

int ot_lock_take(const struct ot_corpus *corpus, const char *command, int64_t wait_ns,
                 struct ot_lock *ret_lock, struct ot_err *err)
{
    char path[PATH_MAX];
    int code = ot_disk_path(path, err, "%s/lock", corpus->root);
    if (code < 0)
        return code;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "the store %s cannot be written", corpus->root);
    code = take_open(corpus, fd, command, wait_ns, err);
    if (code < 0) {
        close(fd);
        return code;
    }
    ret_lock->fd = fd;
    return OT_OK;
}

void ot_lock_release(struct ot_lock *lock)
{
    if (lock->fd < 0)
        return;
    if (ftruncate(lock->fd, 0) < 0) {
        /* The text stays behind; the lock goes all the same. */
    }
    close(lock->fd);
    lock->fd = -1;
}
