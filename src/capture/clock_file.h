/* clock_file.h: moments of the machine's clocks while a recording runs, for its logs' readers.
 *
 * The file is optally.clock (base/oplog.h). Each process notes moments of its own when it starts
 * and, perhaps, when it ends; these hold for all of them, also for one that is killed.
 */
#ifndef OT_CAPTURE_CLOCK_FILE_H
#define OT_CAPTURE_CLOCK_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/oplog.h"

struct ot_clock_file {
    int fd; /* -1: closed, or the disk was full: there will be no more moments */
    enum ot_oplog_clock_kind kind;
    int64_t next_ns; /* CLOCK_MONOTONIC when the next moment is due */
    off_t len;
};

/* Makes the file in `dir`, with a first moment. OT_ERR_IO. */
int ot_clock_file_open(struct ot_clock_file *file, const char *dir, struct ot_err *err);

/* Adds a moment if one is due. */
void ot_clock_file_tick(struct ot_clock_file *file);

/* Adds the last one. */
void ot_clock_file_close(struct ot_clock_file *file);

#endif
