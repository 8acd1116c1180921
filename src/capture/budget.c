#include "capture/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/recording.h"
#include "capture/logs.h"
#include "capture/marker.h"

static void budget_path(char ret_path[2 * PATH_MAX], const char *dir)
{
    snprintf(ret_path, 2 * PATH_MAX, "%s/" OT_OPLOG_BUDGET_FILE, dir);
}

int ot_budget_open(struct ot_budget *budget, const char *dir, uint64_t max_bytes, bool is_ring,
                   struct ot_err *err)
{
    char path[2 * PATH_MAX];
    const struct ot_oplog_budget start = {.max_chunks = max_bytes / OT_OPLOG_CHUNK_BYTES,
                                          .is_ring = is_ring};
    snprintf(budget->dir, sizeof(budget->dir), "%s", dir);
    budget->shared = NULL;
    budget_path(path, dir);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    void *shared = MAP_FAILED;
    if (write(fd, &start, sizeof(start)) == (ssize_t)sizeof(start))
        shared = mmap(NULL, sizeof(start), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int code = shared == MAP_FAILED ? ot_err_sys(err, OT_ERR_IO, "%s", path) : OT_OK;
    close(fd);
    if (code < 0)
        unlink(path);
    else
        budget->shared = shared;
    return code;
}

/* An eighth is to last until the next look. */
static bool is_nearly_full(const struct ot_oplog_budget *shared)
{
    uint64_t used = __atomic_load_n(&shared->used_chunks, __ATOMIC_RELAXED);
    uint64_t room = used < shared->max_chunks ? shared->max_chunks - used : 0;
    return room < shared->max_chunks / 8;
}

static int64_t ended_at(const struct ot_log *log)
{
    if (log->header.closed.realtime_ns)
        return log->header.closed.realtime_ns;
    return (int64_t)log->changed.tv_sec * 1000000000 + log->changed.tv_nsec;
}

static int compare_ends(const void *a, const void *b)
{
    int64_t end_a = ended_at(a);
    int64_t end_b = ended_at(b);
    return (end_a > end_b) - (end_a < end_b);
}

static void give_back(struct ot_oplog_budget *shared, uint64_t n_chunks)
{
    uint64_t used = __atomic_load_n(&shared->used_chunks, __ATOMIC_RELAXED);
    uint64_t less;
    do {
        less = used > n_chunks ? used - n_chunks : 0;
    } while (!__atomic_compare_exchange_n(&shared->used_chunks, &used, less, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Noted first, so that nothing is missing without a word, whatever happens between; where the disk
 * has no room for the note, after what is removed has made some. */
static bool remove_log(struct ot_budget *budget, const struct ot_logs *logs,
                       const struct ot_log *log)
{
    char path[2 * PATH_MAX];
    uint64_t n_events = 0;
    struct ot_err err;
    if (ot_log_count_events(logs, log, &n_events, &err) < 0)
        return false;
    snprintf(path, sizeof(path), "%s/%s", logs->dir, log->name);
    bool is_noted = ot_marker_add(budget->dir, OT_RECORDING_OVERWRITTEN "%" PRIu64, n_events);
    if (unlink(path) < 0)
        return false;
    if (!is_noted)
        ot_marker_add(budget->dir, OT_RECORDING_OVERWRITTEN "%" PRIu64, n_events);
    give_back(budget->shared, log->header.n_chunks + 1);
    return true;
}

void ot_budget_make_room(struct ot_budget *budget)
{
    struct ot_logs logs;
    struct ot_err err;
    if (!budget->shared || !budget->shared->is_ring || !is_nearly_full(budget->shared))
        return;
    if (ot_logs_list(&logs, budget->dir, &err) == OT_OK) {
        size_t n_left = logs.n;
        qsort(logs.items, logs.n, sizeof(*logs.items), compare_ends);
        for (size_t i = 0; i < logs.n && n_left > 1 && is_nearly_full(budget->shared); i++) {
            if (!ot_log_is_written(&logs, &logs.items[i]))
                n_left -= remove_log(budget, &logs, &logs.items[i]);
        }
    }
    ot_logs_release(&logs);
}

/* The file stays: what the program has left behind, and starts later, keeps to the limit, too. */
void ot_budget_close(struct ot_budget *budget)
{
    if (budget->shared)
        munmap(budget->shared, sizeof(*budget->shared));
    budget->shared = NULL;
}
