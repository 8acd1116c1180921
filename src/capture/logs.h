/* logs.h: what the recorder looks up in the logs of the built-in writer (base/oplog.h). Reading
 * them is the readers' work; this is whether they are still written, and what is lost in them.
 */
#ifndef OT_CAPTURE_LOGS_H
#define OT_CAPTURE_LOGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"
#include "base/oplog.h"

struct ot_log {
    char name[NAME_MAX + 1]; /* in its folder */
    struct timespec changed;
    uint64_t n_bytes;
    struct ot_oplog_header header;
};

struct ot_logs {
    char dir[PATH_MAX];
    struct ot_log *items;
    size_t n;
    size_t cap;
};

/* All logs of the folder `dir`; what is no log, or none yet, is passed over. A zeroed struct may be
 * released. OT_ERR_IO: the folder cannot be read. */
int ot_logs_list(struct ot_logs *logs, const char *dir, struct ot_err *err);

void ot_logs_release(struct ot_logs *logs);

/* Whether a process has the log open, or maps it, as a writer does until it ends. */
bool ot_log_is_written(const struct ot_logs *logs, const struct ot_log *log);

/* The entries and exits that a log tells or says that it has lost; nobody writes it any more. */
int ot_log_count_events(const struct ot_logs *logs, const struct ot_log *log, uint64_t *ret_events,
                        struct ot_err *err);

#endif
