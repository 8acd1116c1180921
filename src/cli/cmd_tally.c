/* cmd_tally.c: optally tally: time per operator. */
#include <getopt.h>
#include <stdio.h>

#include "cli/output.h"
#include "cli/run_tally.h"
#include "cli/verb.h"

static const char verb[] = "tally";

static const char usage[] =
    "usage: optally tally [OPTION...] INPUT...\n"
    "\n"
    "Prints the time per operator. INPUT is a recording of optally or another LTTng/CTF trace\n"
    "folder, or a trace of torch.profiler (.json, .json.gz, .json.zst; - for standard input);\n"
    "several of a kind are read together, as the parts of one job.\n"
    "\n"
    "  --sort KEY           order rows by time, self, calls, average, min, max, name or errors\n"
    "  --by WHAT            a row per operator, thread, process or rank\n"
    "  --top N              show the first N rows; totals still count all\n"
    "  --extended           a table per host, process and thread\n"
    "  --no-self            no self times: faster, and in little memory at any size\n"
    "  --max-name-size N    cut longer names in the middle (default: 80; -1: never)\n"
    "  --backends LIST      tally these: NAME[:LEVEL],...; a section per level, highest first\n"
    "  --json, --csv        for programs instead of people\n"
    "  --thapi              THAPI's columns alone; with --json, THAPI's JSON\n"
    "  --recover            skip what is damaged or cut off, and count what is whole\n"
    "  --strict             exit with 1 if the trace is incomplete\n"
    "  -h, --help           print this\n";

enum { OPT_STRICT = 256, OPT_RECOVER, OPT_FIRST_SHARED };
enum { MAX_OPTIONS = 32 };

struct tally_args {
    struct ot_tally_opts opts;
    bool strict;
    bool recover;
    bool help;
};

/* The options that the babeltrace2 component has, too, and this verb's own. */
static void list_options(struct option ret_options[MAX_OPTIONS])
{
    size_t n = 0;
    ret_options[n++] = (struct option){"help", no_argument, NULL, 'h'};
    ret_options[n++] = (struct option){"strict", no_argument, NULL, OPT_STRICT};
    ret_options[n++] = (struct option){"recover", no_argument, NULL, OPT_RECOVER};
    for (size_t i = 0; i < ot_tally_n_options && n < MAX_OPTIONS - 1; i++) {
        const struct ot_tally_option *shared = &ot_tally_options[i];
        int has_value = shared->is_switch ? no_argument : required_argument;
        ret_options[n++] =
            (struct option){shared->name, has_value, NULL, OPT_FIRST_SHARED + (int)i};
    }
    ret_options[n] = (struct option){0};
}

static int parse(int argc, char **argv, struct tally_args *args, struct ot_err *err)
{
    struct option options[MAX_OPTIONS];
    list_options(options);
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (c == 'h') {
            args->help = true;
            return OT_OK;
        }
        if (c == ':')
            return ot_err_set(err, OT_ERR_USAGE, "%s needs a value", argv[optind - 1]);
        if (c == '?')
            return ot_err_set(err, OT_ERR_USAGE, "'%s' is no option (see optally tally --help)",
                              argv[optind - 1]);
        if (c == OPT_STRICT || c == OPT_RECOVER) {
            *(c == OPT_STRICT ? &args->strict : &args->recover) = true;
            continue;
        }
        const struct ot_tally_option *option = &ot_tally_options[c - OPT_FIRST_SHARED];
        int code = option->set(&args->opts, optarg, err);
        if (code < 0) {
            ot_err_context(err, "--%s", option->name);
            return code;
        }
    }
    if (optind == argc)
        return ot_err_set(err, OT_ERR_USAGE, "no INPUT given (see optally tally --help)");
    return ot_tally_opts_check(&args->opts, err);
}

int ot_cmd_tally(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct tally_args args = {0};
    struct ot_err err;
    ot_tally_opts_init(&args.opts);
    int code = parse(argc, argv, &args, &err);
    if (code < 0)
        return ot_fail(verb, code, &err);
    if (args.help)
        return ot_print_usage(verb, usage);
    struct ot_tally_counts counts;
    code = ot_run_tally((const char *const *)argv + optind, (size_t)(argc - optind), args.recover,
                        &args.opts, stdout, stderr, &counts, &err);
    if (code < 0)
        return ot_fail(verb, code, &err);
    return args.strict && !counts.exact ? OT_EXIT_FAILED : OT_EXIT_OK;
}
