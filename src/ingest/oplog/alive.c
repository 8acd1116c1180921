#include "ingest/oplog/alive.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tick_clock.h"

static size_t read_file(const char *path, char *ret_text, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t len = read(fd, ret_text, cap - 1);
    close(fd);
    ret_text[len > 0 ? len : 0] = '\0';
    return len > 0 ? (size_t)len : 0;
}

bool ot_oplog_is_of_this_boot(const struct ot_oplog_header *header)
{
    char id[OT_BOOT_ID_BYTES];
    ot_boot_id_read(id);
    return id[0] != '\0' && memcmp(id, header->boot_id, strlen(id) + 1) == 0;
}

/* Field 22 of /proc/PID/stat (proc(5)), since the machine was started; false: no such process.
 * The command's name, in brackets before it, may have anything in it. */
static bool read_start(int64_t pid, int64_t *ret_ns)
{
    char path[64];
    char stat[1024];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    if (!read_file(path, stat, sizeof(stat)))
        return false;
    const char *at = strrchr(stat, ')');
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return false;
    enum { STATE_FIELD = 3, START_FIELD = 22 };
    at += 2;
    for (int field = STATE_FIELD; field < START_FIELD; field++) {
        at = strchr(at, ' ');
        if (!at)
            return false;
        at++;
    }
    long long ticks_per_s = sysconf(_SC_CLK_TCK);
    long long ticks = strtoll(at, NULL, 10);
    if (ticks_per_s <= 0 || ticks < 0)
        return false;
    *ret_ns = (int64_t)(ticks / ticks_per_s * 1000000000 +
                        ticks % ticks_per_s * 1000000000 / ticks_per_s);
    return true;
}

enum ot_oplog_life ot_oplog_life(const struct ot_oplog_header *header)
{
    /* Sleep of the machine counts for when a process began, and not for CLOCK_MONOTONIC. */
    enum { SLACK_NS = 50000000 };
    int64_t start_ns;
    if (header->closed.ticks)
        return OT_OPLOG_ENDED;
    if (header->pid <= 0 || !ot_oplog_is_of_this_boot(header) ||
        !read_start(header->pid, &start_ns))
        return OT_OPLOG_NOT_SEEN;
    int64_t slept_ns = ot_tick_clock_ns(CLOCK_BOOTTIME) - ot_tick_clock_ns(CLOCK_MONOTONIC);
    bool was_there = start_ns - slept_ns - SLACK_NS <= header->opened.monotonic_ns;
    return was_there ? OT_OPLOG_RUNS : OT_OPLOG_NOT_SEEN;
}

bool ot_oplog_process_writes(int64_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/maps", pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return true;
    char *line = NULL;
    size_t cap = 0;
    bool found = false;
    bool any = false;
    while (!found && getline(&line, &cap, maps) > 0) {
        const char *slash = strrchr(line, '/');
        size_t len = slash ? strcspn(slash + 1, " \n") : 0;
        found = slash && strlen(name) == len && memcmp(slash + 1, name, len) == 0;
        any = true;
    }
    bool failed = ferror(maps) != 0;
    free(line);
    fclose(maps);
    /* A kernel thread has no memory to show, and writes no log. */
    return found || (failed && !any);
}

bool ot_oplog_thread_runs(int64_t pid, uint64_t tid)
{
    char path[96];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRIu64, pid, tid);
    return access(path, F_OK) == 0;
}
