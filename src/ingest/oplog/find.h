/* find.h: the operator logs of a recording, and what its marker says of it. */
#ifndef OT_INGEST_OPLOG_FIND_H
#define OT_INGEST_OPLOG_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Of all inputs together: what they can make us hold. */
enum { OT_OPLOG_LOGS_MAX = 1 << 16 };

struct ot_oplog_paths {
    char **paths; /* in byte order of their names, input by input */
    size_t n_paths;
    size_t cap;
};

/* OT_OK for a folder that is a recording of the built-in writer or holds logs of it, or for a log
 * itself; OT_END for anything else. */
int ot_oplog_recognise(const char *path, struct ot_err *err);

/* Adds the logs of a folder, or the log `path` itself. */
int ot_oplog_find(struct ot_oplog_paths *paths, const char *path, struct ot_err *err);

void ot_oplog_paths_release(struct ot_oplog_paths *paths);

/* What the marker of a folder says was lost. */
struct ot_oplog_marker {
    bool is_cut;
    uint64_t n_overwritten;
};

/* All zero where there is no marker. */
struct ot_oplog_marker ot_oplog_read_marker(const char *folder);

#endif
