/* hooks.h: the callbacks that PyTorch runs around every operator.
 *
 * They read the name, hand it to the writer and return: no lock, no print, no exit. errno is what
 * it was, and an operator that runs inside a hook (a signal handler, a writer that calls into
 * PyTorch) is not recorded. Once registered they stay for the life of the process: RecordFunction
 * keeps their addresses.
 */
#ifndef OT_TRACER_HOOKS_H
#define OT_TRACER_HOOKS_H

#include "tracer/torch.h"
#include "tracer/writer.h"

/* Registers the callbacks for the scopes in `scope_mask` (tracer_env.h). `writer` NULL registers
 * empty ones. What the pointers point at is copied. */
void ot_hooks_register(const struct ot_torch *torch, const struct ot_writer *writer,
                       unsigned scope_mask);

#endif
