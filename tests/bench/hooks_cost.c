/* hooks_cost.c: runs the hooks N times on a PyTorch that does nothing, to count instructions.
 *
 * usage: hooks_cost hooks|empty N
 *
 * What PyTorch and the writer would do costs a call and a return here. The difference between the
 * two modes, and between two N, is what the hooks themselves execute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tracer_env.h"
#include "tracer/hooks.h"

static struct ot_torch_callback registered[2];
static int n_registered;

static uint64_t keep_callback(struct ot_torch_callback callback)
{
    registered[n_registered] = callback;
    return (uint64_t)++n_registered;
}

static const char *fixed_name(const void *rf)
{
    (void)rf;
    return "aten::add";
}

static const char *fixed_overload(const void *rf)
{
    (void)rf;
    return "Tensor";
}

static void take(enum ot_op_kind kind, const struct ot_op *op)
{
    (void)kind;
    (void)op;
}

static const struct ot_writer writer = {.abi = OT_WRITER_ABI, .entry = take, .exit = take};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: hooks_cost hooks|empty N\n");
        return 2;
    }
    static const struct ot_torch torch = {
        .add_global_callback = keep_callback,
        .name = fixed_name,
        .overload_name = fixed_overload,
    };
    ot_hooks_register(&torch, strcmp(argv[1], "hooks") == 0 ? &writer : NULL,
                      1u << OT_SCOPE_FUNCTION);
    void *(*start)(void **, const void *) = (void *(*)(void **, const void *))registered[0].start;
    void (*end)(const void *, void *) = (void (*)(const void *, void *))registered[0].end;
    for (long n = atol(argv[2]); n > 0; n--) {
        void *context;
        start(&context, &context);
        end(&context, context);
    }
    return 0;
}
