/* merge.h: the events of many threads, one after the other or in the order of time.
 *
 * In order: a heap of cursors by the time of their next event; of two at one time the one that was
 * added first. A cursor takes memory from its first event to its last. One thread.
 */
#ifndef OT_INGEST_OPLOG_MERGE_H
#define OT_INGEST_OPLOG_MERGE_H

#include "ingest/oplog/cursor.h"

struct ot_oplog_merge;

/* NULL when memory is out. `in_order`: see ot_reader_opts. */
struct ot_oplog_merge *ot_oplog_merge_new(struct ot_oplog_common *common, bool in_order);

/* Adds the threads of a log, which is borrowed. Before the first event; the clocks are settled. */
int ot_oplog_merge_add(struct ot_oplog_merge *merge, struct ot_oplog_log *log, struct ot_err *err);

/* OT_OK with the next event and the cursor that it came from, both valid until the next call. */
int ot_oplog_merge_next(struct ot_oplog_merge *merge, struct ot_event *ret_event,
                        const struct ot_oplog_cursor **ret_cursor, struct ot_err *err);

void ot_oplog_merge_free(struct ot_oplog_merge *merge);

#endif
