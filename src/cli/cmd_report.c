/* cmd_report.c: optally report: an analysis as one HTML page. */
#include <stdio.h>

#include "base/outfile.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_analysis.h"
#include "cli/store_module.h"
#include "cli/verb.h"
#include "emit/report/report.h"

static const char verb[] = "report";

static const char usage[] =
    "usage: optally report [OPTION...] -o FILE.html INPUT...\n"
    "\n"
    "Writes one HTML page that shows where time and memory went: numbers, activity over time,\n"
    "memory, flame graph, operators. It needs nothing beside it, and no network. INPUT is a trace\n"
    "of torch.profiler (.json, .json.gz, .json.zst; - for standard input), a recording of optally "
    "or\n"
    "another LTTng/CTF trace folder; several of a kind are the ranks of one job. Or it is a run "
    "of\n"
    "the store, or RUN:rank3 of one.\n"
    "\n"
    "  -o, --output FILE    where the page goes; - is standard output\n"
    "  --limit N            show N operators, or all (default: 1000); nothing else changes\n"
    "  --title TEXT         the page's title, instead of the input's name\n"
    "  --recover            skip what is damaged or cut off, and count what is "
    "whole\n" OT_INPUT_USAGE "  -h, --help           print this\n";

enum { OPT_LIMIT = 256, OPT_TITLE, OPT_RECOVER };

/* As many rows as leave a page of the largest traces well below 2 MB. */
enum { DEFAULT_LIMIT = 1000, REPEATED_LIMIT = 100, N_BINS = 240 };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"output", required_argument, NULL, 'o'},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"title", required_argument, NULL, OPT_TITLE},
    {"recover", no_argument, NULL, OPT_RECOVER},
    OT_INPUT_OPTIONS,
    {0},
};

struct report_args {
    struct ot_analysis_opts opts;
    struct ot_input_opts from;
    const char *output;
    const char *title;
    bool recover;
    bool help;
    const char *const *inputs;
    size_t n_inputs;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct report_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    switch (c) {
    case 'o':
        args->output = optarg;
        return OT_OK;
    case OPT_LIMIT:
        return ot_parse_limit("--limit", optarg, &args->opts.limit, err);
    case OPT_TITLE:
        args->title = optarg;
        return OT_OK;
    case OPT_RECOVER:
        args->recover = true;
        return OT_OK;
    default:
        return OT_OK;
    }
}

static int parse(int argc, char **argv, struct report_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {
        .verb = verb, .shorts = ":ho:", .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (!args->output)
        return ot_err_set(err, OT_ERR_USAGE,
                          "no file to write to: give -o FILE.html (see optally report --help)");
    return ot_options_inputs(&walk, argc, argv, &args->inputs, &args->n_inputs, err);
}

static int write_page(const struct report_args *args, const struct ot_analysis_run *run, FILE *out,
                      struct ot_err *err)
{
    struct ot_report report = {
        .analysis = &run->analysis,
        .pop = &run->pop,
        .stacks = run->stacks,
        .activity = run->activity,
        .title = args->title,
        .format = run->format,
        .inputs = run->input_names,
        .n_inputs = run->inputs.n,
        .artifacts = run->artifact_names,
    };
    return ot_report_write(&report, out, err);
}

static int write_report(const struct report_args *args, const struct ot_inputs *inputs,
                        struct ot_outfile *file, struct ot_err *err)
{
    const struct ot_store_api *store = NULL;
    int code = ot_store_module_load(&store, err);
    if (code < 0)
        return code;
    struct ot_stacks stacks = {0};
    struct ot_activity activity = {.opts = {.n_bins = N_BINS}};
    struct ot_analysis_run run = {.stacks = &stacks, .activity = &activity};
    code = ot_analysis_run(&run, verb, store, inputs, args->recover, &args->opts, err);
    if (code == OT_OK)
        code = write_page(args, &run, file->out, err);
    if (code == OT_OK)
        code = ot_outfile_keep(file, NULL, err);
    if (code == OT_OK)
        /* The page says the same; but who scripts this may not look at it. */
        ot_tell_incomplete(verb, NULL, &run.analysis.warnings, &run.analysis.counts);
    ot_analysis_run_release(&run);
    return code;
}

static int report(const struct report_args *args, struct ot_err *err)
{
    struct ot_outfile file = {0};
    struct ot_inputs inputs = {0};
    int code = ot_inputs_resolve_to_open(&inputs, args->inputs, args->n_inputs, &args->from, err);
    if (code == OT_OK)
        code = ot_outfile_open(&file, args->output, inputs.paths, inputs.n, err);
    if (code == OT_OK)
        code = write_report(args, &inputs, &file, err);
    if (code < 0)
        ot_outfile_abandon(&file);
    ot_inputs_release(&inputs);
    return code;
}

int ot_cmd_report(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct report_args args = {
        .opts = {.limit = DEFAULT_LIMIT, .small_limit = REPEATED_LIMIT, .small_below_ns = -1},
    };
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code < 0)
        return ot_fail(verb, code, &err);
    if (args.help)
        return ot_print_usage(verb, usage);
    code = report(&args, &err);
    return code < 0 ? ot_fail(verb, code, &err) : OT_EXIT_OK;
}
