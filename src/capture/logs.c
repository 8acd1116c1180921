#include "capture/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

static bool has_suffix(const char *name)
{
    size_t len = strlen(name);
    size_t suffix_len = sizeof(OT_OPLOG_SUFFIX) - 1;
    return len > suffix_len && strcmp(name + len - suffix_len, OT_OPLOG_SUFFIX) == 0;
}

static int open_log(const struct ot_logs *logs, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", logs->dir, name);
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static bool take_log(int fd, struct ot_log *ret_log)
{
    struct stat status;
    struct ot_oplog_header *header = &ret_log->header;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
        pread(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
        return false;
    ret_log->changed = status.st_mtim;
    ret_log->n_bytes = (uint64_t)status.st_size;
    return memcmp(header->magic, OT_OPLOG_MAGIC, sizeof(header->magic)) == 0 &&
           header->version == OT_OPLOG_VERSION && header->header_bytes == OT_OPLOG_HEADER_BYTES &&
           header->chunk_bytes == OT_OPLOG_CHUNK_BYTES;
}

int ot_logs_list(struct ot_logs *logs, const char *dir, struct ot_err *err)
{
    *logs = (struct ot_logs){0};
    snprintf(logs->dir, sizeof(logs->dir), "%s", dir);
    DIR *stream = opendir(dir);
    if (!stream)
        return ot_err_sys(err, OT_ERR_IO, "%s", dir);
    int code = OT_OK;
    for (struct dirent *entry; code == OT_OK && (entry = readdir(stream));) {
        int fd = has_suffix(entry->d_name) ? open_log(logs, entry->d_name) : -1;
        if (fd < 0)
            continue;
        if (!ot_vec_reserve(&logs->items, &logs->cap, logs->n + 1, sizeof(*logs->items))) {
            code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for the logs of %s", dir);
        } else if (take_log(fd, &logs->items[logs->n])) {
            struct ot_log *log = &logs->items[logs->n++];
            snprintf(log->name, sizeof(log->name), "%s", entry->d_name);
        }
        close(fd);
    }
    closedir(stream);
    return code;
}

void ot_logs_release(struct ot_logs *logs)
{
    free(logs->items);
    *logs = (struct ot_logs){0};
}

/* fcntl(2): a lease for reading is given only where nobody has the file open for writing, which a
 * writable mapping counts as, whatever PID namespace it is in. Where the file system knows no
 * leases the process's number has to do. */
bool ot_log_is_written(const struct ot_logs *logs, const struct ot_log *log)
{
    int fd = open_log(logs, log->name);
    if (fd < 0)
        return false;
    /* Sent to us if somebody opens the file for writing right now. */
    struct sigaction before;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGIO, &ignore, &before);
    bool is_free = fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    bool is_busy = !is_free && errno == EAGAIN;
    if (is_free)
        fcntl(fd, F_SETLEASE, F_UNLCK);
    close(fd);
    sigaction(SIGIO, &before, NULL);
    if (is_free || is_busy)
        return is_busy;
    if (log->header.closed.monotonic_ns != 0)
        return false;
    return log->header.pid > 0 && log->header.pid <= INT_MAX &&
           (kill((pid_t)log->header.pid, 0) == 0 || errno != ESRCH);
}

static uint64_t count_events(int fd, const struct ot_log *log, uint64_t *chunk)
{
    uint64_t n_events = log->header.lost_events + log->header.overwritten_events;
    off_t at = OT_OPLOG_HEADER_BYTES;
    for (; pread(fd, chunk, OT_OPLOG_CHUNK_BYTES, at) == OT_OPLOG_CHUNK_BYTES;
         at += OT_OPLOG_CHUNK_BYTES) {
        struct ot_oplog_chunk head;
        memcpy(&head, chunk, sizeof(head));
        if (head.kind == OT_OPLOG_CHUNK_EVENTS)
            n_events += ot_oplog_count_events(chunk + sizeof(head) / sizeof(*chunk));
    }
    return n_events;
}

int ot_log_count_events(const struct ot_logs *logs, const struct ot_log *log, uint64_t *ret_events,
                        struct ot_err *err)
{
    uint64_t *chunk = malloc(OT_OPLOG_CHUNK_BYTES);
    if (!chunk)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a log");
    int code = OT_OK;
    int fd = open_log(logs, log->name);
    if (fd < 0) {
        code = ot_err_sys(err, OT_ERR_IO, "%s/%s", logs->dir, log->name);
    } else {
        *ret_events = count_events(fd, log, chunk);
        close(fd);
    }
    free(chunk);
    return code;
}
