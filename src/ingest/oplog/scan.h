/* scan.h: the one walk over a log that finds its pieces, ends, names and moments (log.h). Private
 * to this folder. */
#ifndef OT_INGEST_OPLOG_SCAN_H
#define OT_INGEST_OPLOG_SCAN_H

#include "ingest/oplog/log.h"

/* Of a log that was opened and has its clock. */
int ot_oplog_scan(struct ot_oplog_log *log, struct ot_oplog_common *common, struct ot_err *err);

#endif
