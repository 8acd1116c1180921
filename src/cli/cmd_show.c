/* cmd_show.c: optally show: what a run or a commit holds. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/failure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/store_args.h"
#include "cli/terminal.h"
#include "cli/verb.h"

static const char verb[] = "show";

static const char usage[] =
    "usage: optally show [OPTION...] RUN|COMMIT\n"
    "\n"
    "Says what a run holds (its name, or its id as optally runs prints it), or what a commit did\n"
    "(its id as optally log prints it, or head): from where each trace came, where it is kept, "
    "and\n"
    "what was counted.\n"
    "\n"
    "  --json               for programs instead of people\n"
    "  --commit ID          the run as that commit knows it (default: the newest)\n"
    "  --color WHEN         auto (on a terminal, unless NO_COLOR is set), always or "
    "never\n" OT_STORE_USAGE "  -h, --help           print this\n";

enum { OPT_JSON = 256, OPT_COMMIT, OPT_COLOR, OPT_STORE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, OPT_JSON},
    {"commit", required_argument, NULL, OPT_COMMIT},
    {"color", required_argument, NULL, OPT_COLOR},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct show_args {
    const char *what;
    const char *commit;
    const char *store;
    enum ot_color color;
    bool json;
    bool help;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct show_args *args = context;
    switch (c) {
    case OPT_COMMIT:
        args->commit = optarg;
        return OT_OK;
    case OPT_COLOR:
        return ot_color_parse(optarg, &args->color, err);
    case OPT_STORE:
        args->store = optarg;
        return OT_OK;
    default:
        return OT_OK; /* --json was looked for before */
    }
}

static int parse(int argc, char **argv, struct show_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (argc - optind != 1)
        return ot_err_set(err, OT_ERR_USAGE, "give one RUN or COMMIT (see optally show --help)");
    args->what = argv[optind];
    return OT_OK;
}

static int show_run(const struct show_args *args, const struct ot_corpus_state *state,
                    const struct ot_corpus_run *run, struct ot_err *err)
{
    struct ot_look look;
    if (args->json) {
        ot_show_run_json(state, run, stdout);
        return OT_OK;
    }
    ot_tty_look(STDOUT_FILENO, args->color, &look);
    return ot_show_run(run, &look, stdout, err);
}

/* What its parent knew, if that is still there. With a run that cannot be read nobody knows what
 * has become of it. */
static int show_commit(const struct show_args *args, const struct ot_corpus *corpus,
                       const struct ot_corpus_state *state, struct ot_err *err)
{
    struct ot_corpus_state before = {0};
    struct ot_err ignored;
    struct ot_look look;
    int code = OT_OK;
    bool has_parent = state->parent[0] == '\0' ||
                      ot_corpus_read(corpus, state->parent, &before, &ignored) == OT_OK;
    bool is_known = has_parent && before.n_damaged == 0 && state->n_damaged == 0;
    const struct ot_corpus_state *parent = is_known ? &before : NULL;
    ot_tty_look(STDOUT_FILENO, args->color, &look);
    if (args->json)
        ot_show_commit_json(state, parent, stdout);
    else
        code = ot_show_commit(state, parent, &look, stdout, err);
    ot_corpus_state_release(&before);
    return code;
}

static int find_commit(const struct show_args *args, const struct ot_corpus *corpus,
                       const struct ot_err *no_run, struct ot_err *err)
{
    struct ot_corpus_state state = {0};
    struct ot_err no_commit;
    int code = OT_ERR_INPUT;
    if (!args->commit && (ot_corpus_is_prefix(args->what) || strcmp(args->what, "head") == 0))
        code = ot_corpus_read(corpus, args->what, &state, &no_commit);
    if (code == OT_OK && state.commit[0] == '\0')
        code = ot_err_set(&no_commit, OT_ERR_INPUT, "the store %s has no commit yet", corpus->root);
    else if (code < 0)
        no_commit = *no_run;
    if (code == OT_OK)
        code = show_commit(args, corpus, &state, err);
    else
        *err = no_commit;
    ot_corpus_state_release(&state);
    return code;
}

static int show(const struct show_args *args, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_corpus_state state = {0};
    struct ot_err no_run;
    const struct ot_corpus_run *run = NULL;
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = ot_corpus_read(&corpus, args->commit, &state, err);
    if (code == OT_OK && ot_corpus_find_run(&state, args->what, &run, &no_run) == OT_OK)
        code = show_run(args, &state, run, err);
    else if (code == OT_OK)
        code = find_commit(args, &corpus, &no_run, err);
    ot_corpus_state_release(&state);
    return code;
}

int ot_cmd_show(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct show_args args = {.json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    ot_tty_set_stderr_color(args.color);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = show(&args, &err);
    if (code < 0)
        return ot_store_fail(verb, code, &err, args.json);
    return ot_finish_output(verb, OT_EXIT_OK);
}
