/* cmd_analyze.c: optally analyze: the full-population analysis. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_analysis.h"
#include "cli/store_module.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "emit/analysis/report.h"

static const char verb[] = "analyze";

static const char usage[] =
    "usage: optally analyze [OPTION...] INPUT...\n"
    "\n"
    "Says where time and memory went, counted over everything that ran. INPUT is a trace of\n"
    "torch.profiler (.json, .json.gz, .json.zst; - for standard input), a recording of optally or\n"
    "another LTTng/CTF trace folder; several of a kind are the ranks of one job. Or it is a run "
    "of\n"
    "the store, or RUN:rank3 of one.\n"
    "\n"
    "  --limit N            show N operators, or all (default: 100); nothing else changes\n"
    "  --small-limit N      show N repeated small operations, or all (default: 100)\n"
    "  --small-below NS     small is what takes NS on average, instead of the 25th percentile\n"
    "  --json, --csv        for programs instead of people; CSV has the operators alone\n"
    "  --recover            skip what is damaged or cut off, and count what is whole\n"
    "  --color WHEN         auto (on a terminal, unless NO_COLOR is set), always or "
    "never\n" OT_INPUT_USAGE "  -h, --help           print this\n";

enum {
    OPT_LIMIT = 256,
    OPT_SMALL_LIMIT,
    OPT_SMALL_BELOW,
    OPT_JSON,
    OPT_CSV,
    OPT_RECOVER,
    OPT_COLOR
};
enum { DEFAULT_LIMIT = 100, FILE_WIDTH = 100 };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"small-limit", required_argument, NULL, OPT_SMALL_LIMIT},
    {"small-below", required_argument, NULL, OPT_SMALL_BELOW},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", no_argument, NULL, OPT_CSV},
    {"recover", no_argument, NULL, OPT_RECOVER},
    {"color", required_argument, NULL, OPT_COLOR},
    OT_INPUT_OPTIONS,
    {0},
};

struct analyze_args {
    struct ot_analysis_opts opts;
    struct ot_input_opts from;
    enum ot_analysis_format format;
    enum ot_color color;
    bool json; /* asked for, also where the rest of the command line makes no sense */
    bool recover;
    bool help;
    const char *const *inputs;
    size_t n_inputs;
};

static int choose_format(struct analyze_args *args, enum ot_analysis_format format,
                         struct ot_err *err)
{
    if (args->format != OT_ANALYSIS_TEXT && args->format != format)
        return ot_err_set(err, OT_ERR_USAGE, "--json and --csv exclude each other");
    args->format = format;
    args->json |= format == OT_ANALYSIS_JSON;
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct analyze_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    switch (c) {
    case OPT_LIMIT:
        return ot_parse_limit("--limit", optarg, &args->opts.limit, err);
    case OPT_SMALL_LIMIT:
        return ot_parse_limit("--small-limit", optarg, &args->opts.small_limit, err);
    case OPT_SMALL_BELOW:
        if (!ot_parse_number(optarg, &args->opts.small_below_ns) || args->opts.small_below_ns < 1)
            return ot_err_set(err, OT_ERR_USAGE,
                              "--small-below: '%s' is not a number of nanoseconds, 1 or more",
                              optarg);
        return OT_OK;
    case OPT_JSON:
        return choose_format(args, OT_ANALYSIS_JSON, err);
    case OPT_CSV:
        return choose_format(args, OT_ANALYSIS_CSV, err);
    case OPT_RECOVER:
        args->recover = true;
        return OT_OK;
    case OPT_COLOR:
        return ot_color_parse(optarg, &args->color, err);
    default:
        return OT_OK;
    }
}

static int parse(int argc, char **argv, struct analyze_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    return ot_options_inputs(&walk, argc, argv, &args->inputs, &args->n_inputs, err);
}

static int fail(const struct analyze_args *args, int code, const struct ot_err *err)
{
    return ot_fail_as_asked(&(struct ot_cli_failure){
        .verb = verb,
        .code = code,
        .err = err,
        .json = args->json,
        .inputs = args->inputs,
        .n_inputs = args->n_inputs,
    });
}

static int write_report(const struct analyze_args *args, const struct ot_analysis_report *report,
                        struct ot_err *err)
{
    int code = OT_OK;
    struct ot_look look;
    struct ot_look diag_look;
    ot_tty_look(STDOUT_FILENO, args->color, &look);
    ot_tty_look_stderr(&diag_look);
    if (!look.is_terminal)
        look.width = FILE_WIDTH;
    if (args->format == OT_ANALYSIS_JSON)
        ot_analysis_write_json(report, stdout);
    else if (args->format == OT_ANALYSIS_CSV)
        ot_analysis_write_csv(report, stdout);
    else
        code = ot_analysis_write_text(report, &look, stdout, err);
    errno = 0;
    if (code == OT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        errno = errno ? errno : EIO;
        code = ot_err_sys(err, OT_ERR_IO, "cannot write the output");
    }
    if (code == OT_OK)
        ot_analysis_write_notes(report->analysis, args->format, &diag_look, stderr);
    return code;
}

static int print(const struct analyze_args *args, const struct ot_analysis_run *run,
                 const char *commit, struct ot_err *err)
{
    struct ot_analysis_report report = {
        .analysis = &run->analysis,
        .format = run->format,
        .inputs = run->input_names,
        .n_inputs = run->inputs.n,
        .artifacts = run->artifact_names,
        .commit = commit,
    };
    return write_report(args, &report, err);
}

static int analyze(const struct analyze_args *args, struct ot_err *err)
{
    const struct ot_store_api *store = NULL;
    struct ot_inputs inputs = {0};
    struct ot_analysis_run run = {0};
    int code = ot_inputs_resolve(&inputs, args->inputs, args->n_inputs, &args->from, err);
    if (code == OT_OK)
        code = ot_store_module_load(&store, err);
    if (code == OT_OK)
        code = ot_analysis_run(&run, verb, store, &inputs, args->recover, &args->opts, err);
    if (code == OT_OK)
        code = print(args, &run, inputs.commit, err);
    ot_analysis_run_release(&run);
    ot_inputs_release(&inputs);
    return code;
}

int ot_cmd_analyze(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct analyze_args args = {
        .opts = {.limit = DEFAULT_LIMIT, .small_limit = DEFAULT_LIMIT, .small_below_ns = -1},
        .json = ot_asks_for_json(argc, argv),
    };
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    ot_tty_set_stderr_color(args.color);
    if (code < 0)
        return fail(&args, code, &err);
    if (args.help)
        return ot_print_usage(verb, usage);
    code = analyze(&args, &err);
    return code < 0 ? fail(&args, code, &err) : OT_EXIT_OK;
}
