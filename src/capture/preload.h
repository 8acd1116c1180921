/* preload.h: the environment that puts the tracer into a process and its descendants.
 */
#ifndef OT_CAPTURE_PRELOAD_H
#define OT_CAPTURE_PRELOAD_H

#include <limits.h>

#include "base/err.h"

#define OT_TRACER_LIBRARY "liboptally-tracer.so"
#define OT_MEMORY_LIBRARY "liboptally-memory.so" /* beside it, for record --memory */

/* The path under which to preload `library` of `lib_dir`: its own, or, where that holds a space or
 * colon (which LD_PRELOAD cannot name), that of a link in `link_dir`. */
int ot_preload_path(char ret_path[PATH_MAX], const char *lib_dir, const char *library,
                    const char *link_dir, struct ot_err *err);

/* Puts `library` in front of what LD_PRELOAD holds already. Changes this process's environment. */
void ot_preload_set(const char *library);

#endif
