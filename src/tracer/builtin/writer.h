/* writer.h: the built-in writer: an operator log (base/oplog.h) per process, without a daemon.
 *
 * It is part of the tracer itself, and needs nothing but libc and the folder that OT_ENV_LOG_DIR
 * names.
 */
#ifndef OT_TRACER_BUILTIN_WRITER_H
#define OT_TRACER_BUILTIN_WRITER_H

#include "tracer/writer.h"

extern const struct ot_writer ot_builtin_writer;

/* The tracer is in this process from now on. Once, before everything else. */
void ot_builtin_loaded(void);

#endif
