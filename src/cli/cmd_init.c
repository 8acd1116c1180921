/* cmd_init.c: optally init: a new store. */
#include <stdio.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "corpus/corpus.h"

static const char verb[] = "init";

static const char usage[] =
    "usage: optally init [DIR | --store DIR]\n"
    "\n"
    "Makes a store for traces and what was counted of them: the folder .optally in DIR (default:\n"
    "$OPTALLY_STORE, or else the current folder). The verbs of the store find it from there, and\n"
    "from all folders below.\n"
    "\n"
    "  --store DIR          the same as DIR\n"
    "  -h, --help           print this\n";

enum { OPT_STORE = 256 };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct init_args {
    const char *dir; /* NULL: where the others would look for it */
    bool help;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    (void)c;
    (void)err;
    ((struct init_args *)context)->dir = optarg;
    return OT_OK;
}

static int parse(int argc, char **argv, struct init_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (argc - optind + (args->dir != NULL) > 1)
        return ot_err_set(err, OT_ERR_USAGE, "one DIR at most (see optally init --help)");
    if (optind < argc)
        args->dir = argv[optind];
    return OT_OK;
}

static int init(const struct init_args *args, struct ot_err *err)
{
    struct ot_corpus corpus;
    int code = ot_corpus_init(args->dir, &corpus, err);
    if (code == OT_OK)
        printf("made the store %s\n", corpus.root);
    return code;
}

int ot_cmd_init(int argc, char **argv)
{
    struct init_args args = {0};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = init(&args, &err);
    return code < 0 ? ot_fail(verb, code, &err) : ot_finish_output(verb, OT_EXIT_OK);
}
