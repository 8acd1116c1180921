/* reader.h: recordings of the built-in writer: folders of operator logs. */
#ifndef OT_INGEST_OPLOG_READER_H
#define OT_INGEST_OPLOG_READER_H

#include "ingest/reader.h"

extern const struct ot_reader_class ot_oplog_reader;

#endif
