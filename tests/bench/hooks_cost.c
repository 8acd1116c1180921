/* hooks_cost.c: runs the hooks N times on a PyTorch that does nothing, to count instructions.
 *
 * usage: hooks_cost MODE N
 *
 * What PyTorch would do costs a call and a return here. MODE is
 *
 *     builtin, builtin-old   the built-in writer, which writes a real log into a folder of its own
 *     hooks, hooks-old       the hooks of other writers, with one that does nothing
 *     empty                  callbacks that do nothing
 *
 * "old" is a PyTorch before 2.7, whose overload names come from the tracer's own table.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oplog.h"
#include "base/tracer_env.h"
#include "tracer/builtin/writer.h"
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

static const struct mode {
    const char *name;
    const struct ot_writer *writer;
    bool is_old;
} modes[] = {
    {"builtin", &ot_builtin_writer, false},
    {"builtin-old", &ot_builtin_writer, true},
    {"hooks", &writer, false},
    {"hooks-old", &writer, true},
    {"empty", NULL, false},
};

static const struct mode *find_mode(const char *name)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    }
    return NULL;
}

static void open_log(char *folder, const struct ot_torch *torch)
{
    struct ot_err err;
    if (!mkdtemp(folder) || setenv(OT_ENV_LOG_DIR, folder, 1) != 0 ||
        ot_builtin_writer.open(torch, &err) < 0) {
        fprintf(stderr, "hooks_cost: no log in %s\n", folder);
        exit(1);
    }
}

static void remove_log(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%ld" OT_OPLOG_SUFFIX, folder, (long)getpid());
    remove(path);
    remove(folder);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/optally-hooks-XXXXXX";
    const struct mode *mode = argc == 3 ? find_mode(argv[1]) : NULL;
    if (!mode) {
        fprintf(stderr, "usage: hooks_cost builtin|builtin-old|hooks|hooks-old|empty N\n");
        return 2;
    }
    struct ot_torch torch = {
        .add_global_callback = keep_callback, .name = fixed_name, .keeps_context = true};
    if (mode->is_old)
        torch.operator_name = (void *)build_operator_name;
    else
        torch.overload_name = fixed_overload;
    if (mode->writer == &ot_builtin_writer)
        open_log(folder, &torch);
    ot_hooks_register(&torch, mode->writer, 1u << OT_SCOPE_FUNCTION);
    void *(*start)(void **, const void *) = (void *(*)(void **, const void *))registered[0].start;
    void (*end)(const void *, void *) = (void (*)(const void *, void *))registered[0].end;
    for (long n = atol(argv[2]); n > 0; n--) {
        void *context;
        start(&context, &context);
        end(&context, context);
    }
    if (mode->writer == &ot_builtin_writer)
        remove_log(folder);
    return 0;
}
