/* probe.h: asks an interpreter for its PyTorch, and the tracer what it thinks of it.
 */
#ifndef OT_CAPTURE_PROBE_H
#define OT_CAPTURE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/tracer_status.h"

/* Runs `INTERPRETER -c "import torch"` with the tracer in its probing mode, which records nothing.
 * `interpreter` ends with NULL. OT_ERR_MISSING: it could not import torch; the sentence is the last
 * line it printed. */
int ot_capture_probe(const char *const *interpreter, const char *lib_dir,
                     struct ot_tracer_status *ret_status, struct ot_err *err);

/* Runs argv with its output captured; the last line that is not empty goes to ret_line. Returns
 * the exit status, or -1 when it could not be run. */
int ot_capture_last_line(const char *const *argv, char *ret_line, size_t size);

/* Whether the dynamic linker finds all that `library` of `lib_dir` needs; else ret_lacking has its
 * words. Nothing of it is executed: liblttng-ust starts threads in whoever loads it. */
bool ot_capture_can_load(const char *lib_dir, const char *library, char *ret_lacking, size_t size);

#endif
