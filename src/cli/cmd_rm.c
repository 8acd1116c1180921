/* cmd_rm.c: optally rm: runs out of the store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/store_args.h"
#include "cli/verb.h"
#include "corpus/writer.h"

static const char verb[] = "rm";

static const char usage[] =
    "usage: optally rm [OPTION...] RUN...\n"
    "\n"
    "Takes runs out of the store: a new commit without them. Older commits still have them, and\n"
    "optally gc --keep 1 --prune then frees what they take.\n"
    "\n" OT_WAIT_USAGE OT_STORE_USAGE "  -h, --help           print this\n";

enum { OPT_WAIT = 256, OPT_STORE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"wait", required_argument, NULL, OPT_WAIT},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct rm_args {
    const char *store;
    int64_t wait_ns;
    bool help;
    char **runs;
    size_t n_runs;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct rm_args *args = context;
    if (c == OPT_WAIT)
        return ot_parse_wait(optarg, &args->wait_ns, err);
    args->store = optarg;
    return OT_OK;
}

static int parse(int argc, char **argv, struct rm_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    args->runs = argv + optind;
    args->n_runs = (size_t)(argc - optind);
    if (args->n_runs == 0)
        return ot_err_set(err, OT_ERR_USAGE, "no RUN given (see optally rm --help)");
    return OT_OK;
}

/* A run whose manifest is damaged has neither name nor id; it goes by the id of its manifest. */
static bool drop_damaged(struct ot_corpus_state *state, const char *text, struct ot_str *message)
{
    for (size_t i = 0; i < state->n_damaged && ot_corpus_is_prefix(text); i++) {
        const char *manifest = state->damaged[i].manifest;
        if (strncmp(manifest, text, strlen(text)) != 0)
            continue;
        ot_str_addf(message, "%sdamaged %.*s", message->len ? ", " : "rm ", OT_CORPUS_SHORT_ID,
                    manifest);
        state->damaged[i] = state->damaged[--state->n_damaged];
        return true;
    }
    return false;
}

/* Marks what goes: no run that stays has no sessions. */
static int mark(const struct rm_args *args, struct ot_corpus_state *state, struct ot_str *message,
                struct ot_err *err)
{
    for (size_t i = 0; i < args->n_runs; i++) {
        const struct ot_corpus_run *run = NULL;
        if (drop_damaged(state, args->runs[i], message))
            continue;
        int code = ot_corpus_find_run(state, args->runs[i], &run, err);
        if (code < 0)
            return code;
        struct ot_corpus_run *marked = &state->runs[run - state->runs];
        if (marked->n_sessions)
            ot_str_addf(message, "%s%s", message->len ? ", " : "rm ", run->name);
        marked->n_sessions = 0;
    }
    return OT_OK;
}

static int remove_runs(const struct rm_args *args, struct ot_writer *writer, struct ot_err *err)
{
    struct ot_corpus_state *state = &writer->state;
    struct ot_str message = {0};
    char commit[OT_CORPUS_ID_BYTES];
    size_t n_left = 0;
    int code = mark(args, state, &message, err);
    for (size_t i = 0; i < state->n_runs && code == OT_OK; i++) {
        if (state->runs[i].n_sessions)
            state->runs[n_left++] = state->runs[i];
    }
    if (code == OT_OK)
        code = ot_writer_commit(writer, state->runs, n_left, ot_str_borrow(&message), commit, err);
    if (code == OT_OK) {
        struct ot_str line = {0};
        ot_utf8_add_printable(&line, (struct ot_text){ot_str_borrow(&message), message.len});
        printf("%s; %zu %s left\ncommit %.*s\n", ot_str_borrow(&line), n_left,
               n_left == 1 ? "run is" : "runs are", OT_CORPUS_SHORT_ID, commit);
        ot_str_release(&line);
    }
    ot_str_release(&message);
    return code;
}

static int rm(const struct rm_args *args, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_writer writer = {.lock = {-1}};
    const struct ot_writer_opts opts = {.command = "optally rm", .wait_ns = args->wait_ns};
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = ot_writer_begin(&writer, &corpus, &opts, err);
    if (code < 0)
        return code;
    code = remove_runs(args, &writer, err);
    ot_writer_end(&writer);
    return code;
}

int ot_cmd_rm(int argc, char **argv)
{
    struct rm_args args = {0};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = rm(&args, &err);
    return code < 0 ? ot_fail(verb, code, &err) : ot_finish_output(verb, OT_EXIT_OK);
}
