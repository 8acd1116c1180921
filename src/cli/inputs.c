#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"

bool ot_input_option(int c, struct ot_input_opts *opts)
{
    extern char *optarg;
    switch (c) {
    case OT_OPT_STORE:
        opts->store = optarg;
        return true;
    case OT_OPT_COMMIT:
        opts->commit = optarg;
        return true;
    case OT_OPT_ALL_SESSIONS:
        return opts->all_sessions = true;
    default:
        return false;
    }
}

static bool is_trace(const char *arg)
{
    struct stat status;
    return strcmp(arg, "-") == 0 || lstat(arg, &status) == 0;
}

static int add(struct ot_inputs *inputs, const struct ot_input *input, struct ot_err *err)
{
    if (!ot_vec_reserve(&inputs->items, &inputs->cap, inputs->n + 1, sizeof(*inputs->items)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    inputs->items[inputs->n++] = *input;
    return OT_OK;
}

static int read_store(struct ot_inputs *inputs, const struct ot_input_opts *opts,
                      struct ot_err *err)
{
    struct ot_corpus corpus;
    if (inputs->commit)
        return OT_OK;
    int code = ot_corpus_find(opts->store, &corpus, err);
    if (code == OT_OK)
        code = ot_corpus_read(&corpus, opts->commit, &inputs->state, err);
    if (code == OT_OK)
        inputs->commit = inputs->state.commit;
    return code;
}

static int add_run(struct ot_inputs *inputs, const char *arg, const struct ot_input_opts *opts,
                   struct ot_err *err)
{
    struct ot_corpus_pick pick;
    int code = ot_corpus_pick(&inputs->state, arg, &pick, err);
    if (code < 0 && !pick.run && !opts->commit)
        ot_err_context(err, "%s: no such file or folder", arg);
    if (code == OT_OK && !opts->all_sessions)
        code = ot_corpus_refuse_several(&pick, err);
    for (size_t i = 0; i < pick.n_sessions && code == OT_OK; i++) {
        const struct ot_corpus_session *session = &pick.sessions[i];
        inputs->recover |= session->recovered;
        code = add(
            inputs,
            &(struct ot_input){.path = session->input, .shown = session->path, .session = session},
            err);
    }
    return code;
}

/* Who has no store, and did not ask for one, is told of files alone. */
static int add_argument(struct ot_inputs *inputs, const char *arg, const struct ot_input_opts *opts,
                        struct ot_err *err)
{
    struct ot_input trace = {.path = arg, .shown = arg};
    struct ot_corpus corpus;
    bool wants_store = opts->store || opts->commit;
    if (!opts->commit && is_trace(arg))
        return add(inputs, &trace, err);
    if (!wants_store && ot_corpus_find(NULL, &corpus, NULL) < 0)
        return add(inputs, &trace, err);
    int code = read_store(inputs, opts, err);
    if (code < 0)
        return code;
    return add_run(inputs, arg, opts, err);
}

/* The store may have packed what is the same trace, so nobody could tell that it is. */
static int refuse_mixture(const struct ot_inputs *inputs, struct ot_err *err)
{
    for (size_t i = 1; i < inputs->n; i++) {
        const struct ot_input *run = &inputs->items[inputs->items[0].session ? 0 : i];
        const struct ot_input *trace = &inputs->items[inputs->items[0].session ? i : 0];
        if (run->session && !trace->session)
            return ot_err_set(err, OT_ERR_INPUT,
                              "%s is a trace, and a run of the store is given with it: import the "
                              "trace, or give traces alone",
                              trace->shown);
    }
    return OT_OK;
}

static int list_paths(struct ot_inputs *inputs, struct ot_err *err)
{
    inputs->paths = calloc(inputs->n + 1, sizeof(*inputs->paths));
    if (!inputs->paths)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    for (size_t i = 0; i < inputs->n; i++)
        inputs->paths[i] = inputs->items[i].path;
    inputs->are_runs = inputs->n && inputs->items[0].session;
    return refuse_mixture(inputs, err);
}

int ot_inputs_resolve(struct ot_inputs *inputs, const char *const *args, size_t n_args,
                      const struct ot_input_opts *opts, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < n_args && code == OT_OK; i++)
        code = add_argument(inputs, args[i], opts, err);
    return code == OT_OK ? list_paths(inputs, err) : code;
}

int ot_inputs_resolve_to_open(struct ot_inputs *inputs, const char *const *args, size_t n_args,
                              const struct ot_input_opts *opts, struct ot_err *err)
{
    int code = ot_inputs_resolve(inputs, args, n_args, opts, err);
    for (size_t i = 0; i < inputs->n && code == OT_OK; i++) {
        if (inputs->items[i].session)
            code = ot_corpus_check_input(inputs->items[i].session, err);
    }
    return code;
}

const struct ot_input *ot_inputs_find(const struct ot_inputs *inputs, const char *path)
{
    for (size_t i = 0; i < inputs->n; i++) {
        if (inputs->paths[i] == path)
            return &inputs->items[i];
    }
    return NULL;
}

void ot_inputs_clear(struct ot_inputs *inputs)
{
    free(inputs->paths);
    inputs->paths = NULL;
    inputs->n = 0;
    inputs->are_runs = false;
    inputs->recover = false;
}

void ot_inputs_release(struct ot_inputs *inputs)
{
    ot_inputs_clear(inputs);
    free(inputs->items);
    ot_corpus_state_release(&inputs->state);
    *inputs = (struct ot_inputs){0};
}
