/* engine_x86.h: the engines that only x86-64 has. */
#ifndef OT_INGEST_KINETO_ENGINE_X86_H
#define OT_INGEST_KINETO_ENGINE_X86_H

#include "ingest/kineto/engine.h"

extern const struct ot_kineto_engine ot_kineto_sse2;
extern const struct ot_kineto_engine ot_kineto_avx2;

#endif
