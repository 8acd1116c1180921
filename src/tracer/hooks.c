#include "tracer/hooks.h"

#include <errno.h>

#include "base/tracer_env.h"
#include "tracer/arch.h"
#include "tracer/overload.h"

/* What the callbacks need. PyTorch passes them nothing of ours, so this is the one place where the
 * tracer keeps state of the process; it is written once, before the first callback. Copies, since a
 * pointer would cost the hooks a load each time. */
static struct {
    struct ot_torch torch;
    struct ot_writer writer;
} hooks;

static __thread bool in_hook __attribute__((tls_model("initial-exec")));

static inline __attribute__((always_inline)) void
emit(void (*to)(enum ot_op_kind, const struct ot_op *), enum ot_op_kind kind, const void *rf)
{
    if (in_hook)
        return;
    in_hook = true;
    int *errno_of_thread = &errno; /* a call; one is enough */
    int saved = *errno_of_thread;
    const char *name = hooks.torch.name(rf);
    if (name) {
        struct ot_op op = {.name = name};
        op.overload = kind == OT_OP_OPERATOR ? ot_overload_of(&hooks.torch, rf, name) : "";
        to(kind, &op);
    }
    *errno_of_thread = saved;
    in_hook = false;
}

/* One pair of callbacks per kind, so that the kind needs no look at RecordFunction's fields: the
 * scopes they are registered for do not overlap. */
#define OT_HOOK_PAIR(prefix, kind)                                                                 \
    __attribute__((used)) static void *prefix##_start_impl(void **ret, const void *rf)             \
    {                                                                                              \
        *ret = NULL;                                                                               \
        emit(hooks.writer.entry, kind, rf);                                                        \
        return ret;                                                                                \
    }                                                                                              \
    OT_RETURNS_THROUGH_POINTER(prefix##_start, prefix##_start_impl)                                \
    static void prefix##_end(const void *rf, void *context)                                        \
    {                                                                                              \
        (void)context;                                                                             \
        emit(hooks.writer.exit, kind, rf);                                                         \
    }

OT_HOOK_PAIR(operator, OT_OP_OPERATOR)
OT_HOOK_PAIR(annotation, OT_OP_ANNOTATION)

__attribute__((used)) static void *empty_start_impl(void **ret, const void *rf)
{
    (void)rf;
    *ret = NULL;
    return ret;
}
OT_RETURNS_THROUGH_POINTER(empty_start, empty_start_impl)

static void empty_end(const void *rf, void *context)
{
    (void)rf;
    (void)context;
}

static void register_pair(const struct ot_torch *torch, void *start, void *end, bool needs_inputs,
                          unsigned scope_mask)
{
    struct ot_torch_callback callback = {
        .start = start, .end = end, .sampling_probability = 1.0, .needs_inputs = needs_inputs};
    if (scope_mask == 0)
        return; /* to PyTorch a callback without scopes has all of them */
    for (unsigned scope = 0; scope < OT_SCOPE_COUNT; scope++)
        callback.scopes[scope] = scope_mask >> scope & 1;
    torch->add_global_callback(callback);
}

void ot_hooks_register(const struct ot_torch *torch, const struct ot_writer *writer,
                       unsigned scope_mask)
{
    const unsigned user = 1u << OT_SCOPE_USER;
    struct ot_callbacks callbacks = {
        .operator_start = (void *)operator_start,
        .operator_end = (void *)operator_end,
        .annotation_start = (void *)annotation_start,
        .annotation_end = (void *)annotation_end,
    };
    if (!writer) {
        register_pair(torch, (void *)empty_start, (void *)empty_end, false, scope_mask);
        return;
    }
    if (writer->callbacks) {
        callbacks = writer->callbacks();
    } else {
        hooks.torch = *torch;
        hooks.writer = *writer;
    }
    register_pair(torch, callbacks.operator_start, callbacks.operator_end, callbacks.needs_inputs,
                  scope_mask & ~user);
    register_pair(torch, callbacks.annotation_start, callbacks.annotation_end,
                  callbacks.needs_inputs, scope_mask & user);
}
