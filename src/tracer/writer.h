/* writer.h: where the hooks put what they saw.
 *
 * A writer is one table of functions. The tracer opens it once per process, after PyTorch was
 * found and before the first callback; it is never closed, because PyTorch keeps the callbacks.
 * A writer either takes what the tracer's own callbacks saw (entry, exit) or brings callbacks.
 * Both are called from any thread, also from a signal handler's frame between two others; entry and
 * exit never nested on one thread. They may allocate for a thread's first event and not after.
 *
 * To add a writer: a folder with one of these tables under the name ot_writer, built as a module
 * optally-writer-<name>.so, and a row in writers.c. Time and thread come from the writer.
 */
#ifndef OT_TRACER_WRITER_H
#define OT_TRACER_WRITER_H

#include <stdbool.h>

#include "base/err.h"
#include "tracer/torch.h"

/* What a writer is told of an operator. Opt-in fields (sequence number, shapes) are added here and
 * filled by the hooks only when they were asked for. The strings live as long as the call. */
struct ot_op {
    const char *name;     /* never NULL */
    const char *overload; /* "" where the operator has none */
};

/* Operators nest among each other; annotations (user scopes) cross their borders. */
enum ot_op_kind { OT_OP_OPERATOR, OT_OP_ANNOTATION };

/* What PyTorch calls (hooks.h says how), a pair for each kind. */
struct ot_callbacks {
    void *operator_start;
    void *operator_end;
    void *annotation_start;
    void *annotation_end;
    bool needs_inputs;
};

#define OT_WRITER_ABI 2u

struct ot_writer {
    unsigned abi; /* OT_WRITER_ABI; another number is refused */
    /* OT_OK, or a negative code: the tracer then stays inert in this process. */
    int (*open)(const struct ot_torch *torch, struct ot_err *err);
    void (*entry)(enum ot_op_kind kind, const struct ot_op *op);
    void (*exit)(enum ot_op_kind kind, const struct ot_op *op);

    /* NULL, or the callbacks to register; entry and exit are then not called. After open(). */
    struct ot_callbacks (*callbacks)(void);

    /* NULL, or whether close(fd) must not happen now (preload.h). */
    bool (*spares_fd)(int fd);
};

/* Finds and opens the writer named by the environment (tracer_env.h). `dlopen_fn` is the real
 * dlopen: the interposed one would deadlock inside its own hook. `lib_dir` is where the modules
 * lie. *ret_writer stays NULL for the writers that need no events ("empty", "probe"). */
int ot_writer_open(const char *name, const struct ot_torch *torch, const char *lib_dir,
                   void *(*dlopen_fn)(const char *, int), const struct ot_writer **ret_writer,
                   struct ot_err *err);

#endif
