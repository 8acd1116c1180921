/* cmd_init.c: optally init: a new store. */
#include <getopt.h>
#include <stdio.h>

#include "cli/output.h"
#include "cli/verb.h"
#include "corpus/corpus.h"

static const char verb[] = "init";

static const char usage[] =
    "usage: optally init [DIR]\n"
    "\n"
    "Makes a store for traces and what was counted of them: the folder .optally in DIR (default:\n"
    "the current folder). The verbs of the store find it from there, and from all folders below.\n"
    "\n"
    "  -h, --help           print this\n";

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int init(const char *dir, struct ot_err *err)
{
    struct ot_corpus corpus;
    int code = ot_corpus_init(dir, &corpus, err);
    if (code == OT_OK)
        printf("made the store %s\n", corpus.root);
    return code;
}

int ot_cmd_init(int argc, char **argv)
{
    struct ot_err err;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (c == 'h')
            return ot_print_usage(verb, usage);
        return ot_fail(verb, ot_option_fault(c, verb, argv, &err), &err);
    }
    if (argc - optind > 1)
        return ot_fail(verb,
                       ot_err_set(&err, OT_ERR_USAGE, "one DIR at most (see optally init --help)"),
                       &err);
    int code = init(optind < argc ? argv[optind] : ".", &err);
    return code < 0 ? ot_fail(verb, code, &err) : ot_finish_output(verb, OT_EXIT_OK);
}
