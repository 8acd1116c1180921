/* record.h: writes one event, in every case that there is.
 *
 * hooks.c does the common case by itself and leaves the others to these. Any thread, any time after
 * the writer was opened; errno is kept.
 */
#ifndef OT_TRACER_BUILTIN_RECORD_H
#define OT_TRACER_BUILTIN_RECORD_H

#include <stdint.h>

#include "base/oplog.h"

/* A call begins. `overload` NULL: it is asked for. Returns the context for PyTorch to keep; NULL
 * only where PyTorch does not keep one. */
void *ot_record_begin(enum ot_oplog_name_kind kind, const void *rf, const char *name,
                      const char *overload);

/* The call with this context, or (NULL) with this RecordFunction's name, ended at `ticks`. */
void ot_record_end(enum ot_oplog_name_kind kind, const void *rf, void *context, uint64_t ticks);

/* The same where hooks.c took room for one word already and then found that the record needs more
 * than that. */
void *ot_record_begin_reserved(const void *rf, const char *name, const char *overload,
                               int64_t reserved_at);
void ot_record_end_reserved(const void *rf, void *context, uint64_t ticks, int64_t reserved_at);

/* Memory of a device was allocated (bytes > 0) or freed; see OT_OPLOG_MEMORY_EVENT. */
void ot_builtin_memory(int64_t bytes, int64_t total, int device_type, int device_index);

#endif
