/* alive.h: whether the process that writes a log still runs.
 *
 * Nothing is asked of the process itself. /proc knows those of our own PID namespace; a number that
 * somebody else has got since is told by when he began. Any thread.
 */
#ifndef OT_INGEST_OPLOG_ALIVE_H
#define OT_INGEST_OPLOG_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/oplog.h"

enum ot_oplog_life {
    OT_OPLOG_ENDED, /* for certain: it said so itself */
    OT_OPLOG_RUNS,
    OT_OPLOG_NOT_SEEN /* ended without a word, or out of our sight: elsewhere, or in a container */
};

enum ot_oplog_life ot_oplog_life(const struct ot_oplog_header *header);

/* False for a process whose memory shows that it does not write the log `name`: one of another PID
 * namespace had the number. True where its memory is none of our business. It costs more than the
 * rest: to be asked once of a process. */
bool ot_oplog_process_writes(int64_t pid, const char *name);

/* True if /proc shows this thread of a process that runs. */
bool ot_oplog_thread_runs(int64_t pid, uint64_t tid);

/* True if the machine has not been started again since, and is this one: its clock is ours. */
bool ot_oplog_is_of_this_boot(const struct ot_oplog_header *header);

#endif
