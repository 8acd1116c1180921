/* hooks.h: the built-in writer's callbacks, which PyTorch calls without anything in between.
 *
 * The common case is done here, in some seventy instructions for both together: an operator with a
 * short name that this thread has met before, room in its chunk, and the call that ends is its
 * newest. Everything else is record.h's.
 */
#ifndef OT_TRACER_BUILTIN_HOOKS_H
#define OT_TRACER_BUILTIN_HOOKS_H

#include "tracer/writer.h"

/* For what ot_builtin holds by now. */
struct ot_callbacks ot_builtin_callbacks(void);

#endif
