/* cmd_tally.c: optally tally: time per operator. */
#include <stdio.h>
#include <unistd.h>

#include "cli/distinct.h"
#include "cli/failure.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_tally.h"
#include "cli/terminal.h"
#include "cli/verb.h"

static const char verb[] = "tally";

static const char usage[] =
    "usage: optally tally [OPTION...] INPUT...\n"
    "\n"
    "Prints the time per operator. INPUT is a recording of optally or another LTTng/CTF trace\n"
    "folder, or a trace of torch.profiler (.json, .json.gz, .json.zst; - for standard input);\n"
    "several of a kind are read together, as the parts of one job. Or it is a run of the store, "
    "or\n"
    "RUN:rank3 of one.\n"
    "\n"
    "  --sort KEY           order rows by time, self, calls, average, min, max, name or errors\n"
    "  --by WHAT            a row per operator, thread, process or rank; forward: per operator,\n"
    "                       backward ones by what they work for (recorded with --seq)\n"
    "  --top N              show the first N rows; totals still count all\n"
    "  --extended           a table per host, process and thread\n"
    "  --no-self            no self times: faster, and in little memory at any size\n"
    "  --max-name-size N    cut longer names in the middle (default: 80, and what a terminal has\n"
    "                       room for; -1: never)\n"
    "  --backends LIST      tally these: NAME[:LEVEL],...; a section per level, highest first\n"
    "  --json, --csv        for programs instead of people\n"
    "  --thapi              THAPI's columns alone; with --json, THAPI's JSON\n"
    "  --recover            skip what is damaged or cut off, and count what is whole\n"
    "  --color WHEN         auto (on a terminal, unless NO_COLOR is set), always or never\n"
    "  --strict             exit with 1 if the trace is incomplete\n" OT_INPUT_USAGE
    "  -h, --help           print this\n";

enum { OPT_STRICT = 256, OPT_RECOVER, OPT_COLOR, OPT_FIRST_SHARED };
enum { MAX_OPTIONS = 32 };

struct tally_args {
    struct ot_tally_opts opts;
    struct ot_input_opts from;
    enum ot_color color;
    bool strict;
    bool recover;
    bool help;
    const char *const *inputs;
    size_t n_inputs;
};

/* The options that the babeltrace2 component has, too, and this verb's own. */
static void list_options(struct option ret_options[MAX_OPTIONS])
{
    size_t n = 0;
    ret_options[n++] = (struct option){"help", no_argument, NULL, 'h'};
    ret_options[n++] = (struct option){"strict", no_argument, NULL, OPT_STRICT};
    ret_options[n++] = (struct option){"recover", no_argument, NULL, OPT_RECOVER};
    ret_options[n++] = (struct option){"color", required_argument, NULL, OPT_COLOR};
    static const struct option of_inputs[] = {OT_INPUT_OPTIONS};
    for (size_t i = 0; i < sizeof(of_inputs) / sizeof(of_inputs[0]); i++)
        ret_options[n++] = of_inputs[i];
    for (size_t i = 0; i < ot_tally_n_options && n < MAX_OPTIONS - 1; i++) {
        const struct ot_tally_option *shared = &ot_tally_options[i];
        int has_value = shared->is_switch ? no_argument : required_argument;
        ret_options[n++] =
            (struct option){shared->name, has_value, NULL, OPT_FIRST_SHARED + (int)i};
    }
    ret_options[n] = (struct option){0};
}

static int set_shared(int c, struct tally_args *args, struct ot_err *err)
{
    const struct ot_tally_option *option = &ot_tally_options[c - OPT_FIRST_SHARED];
    int code = option->set(&args->opts, optarg, err);
    if (code < 0)
        ot_err_context(err, "--%s", option->name);
    return code;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct tally_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    if (c == OPT_COLOR)
        return ot_color_parse(optarg, &args->color, err);
    if (c != OPT_STRICT && c != OPT_RECOVER)
        return set_shared(c, args, err);
    *(c == OPT_STRICT ? &args->strict : &args->recover) = true;
    return OT_OK;
}

static int parse(int argc, char **argv, struct tally_args *args, struct ot_err *err)
{
    struct option options[MAX_OPTIONS];
    list_options(options);
    const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    code = ot_options_inputs(&walk, argc, argv, &args->inputs, &args->n_inputs, err);
    return code == OT_OK ? ot_tally_opts_check(&args->opts, err) : code;
}

static int tally(const struct tally_args *args, struct ot_tally_counts *counts, struct ot_err *err)
{
    struct ot_inputs inputs = {0};
    struct ot_distinct distinct = {0};
    int code = ot_inputs_resolve_to_open(&inputs, args->inputs, args->n_inputs, &args->from, err);
    if (code == OT_OK)
        code = ot_distinct_init(&distinct, verb, inputs.paths, inputs.n, err);
    if (code == OT_OK)
        code = ot_run_tally(distinct.inputs, distinct.n, args->recover || inputs.recover,
                            &args->opts, stdout, stderr, counts, err);
    ot_distinct_release(&distinct);
    ot_inputs_release(&inputs);
    return code;
}

int ot_cmd_tally(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct tally_args args = {0};
    struct ot_tally_counts counts = {0};
    struct ot_err err;
    ot_tally_opts_init(&args.opts);
    bool json = ot_asks_for_json(argc, argv);
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    ot_tty_set_stderr_color(args.color);
    if (code == OT_OK) {
        json = args.opts.format == OT_TALLY_JSON;
        ot_tty_look(STDOUT_FILENO, args.color, &args.opts.look);
        ot_tty_look_stderr(&args.opts.diag_look);
        code = tally(&args, &counts, &err);
    }
    if (code == OT_OK)
        return args.strict && !counts.exact ? OT_EXIT_FAILED : OT_EXIT_OK;
    return ot_fail_as_asked(&(struct ot_cli_failure){
        .verb = verb,
        .code = code,
        .err = &err,
        .json = json,
        .inputs = args.inputs,
        .n_inputs = args.n_inputs,
    });
}
