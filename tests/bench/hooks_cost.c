/* hooks_cost.c: runs the hooks N times on a PyTorch that does nothing, to count instructions.
 *
 * usage: hooks_cost hooks|table|empty N
 *
 * What PyTorch and the writer would do costs a call and a return here. "table" is a PyTorch before
 * 2.7, whose overload names come from the tracer's own table.
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

/* std::optional<OperatorName>: two strings of libstdc++, here with their characters in place. */
static void *build_operator_name(void *ret, const void *rf)
{
    (void)rf;
    const char *texts[2] = {"aten::add", "Tensor"};
    struct {
        const char *data;
        size_t length;
        char local[16];
    } *strings = ret;
    for (int i = 0; i < 2; i++) {
        strings[i].length = strlen(texts[i]);
        strings[i].data = strcpy(strings[i].local, texts[i]);
    }
    return ret;
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
        fprintf(stderr, "usage: hooks_cost hooks|table|empty N\n");
        return 2;
    }
    struct ot_torch torch = {.add_global_callback = keep_callback, .name = fixed_name};
    if (strcmp(argv[1], "table") == 0)
        torch.operator_name = (void *)build_operator_name;
    else
        torch.overload_name = fixed_overload;
    ot_hooks_register(&torch, strcmp(argv[1], "empty") != 0 ? &writer : NULL,
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
