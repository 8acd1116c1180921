/* cmd_diff.c: optally diff: what changed between runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/diff_runs.h"
#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/store_module.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "emit/diff/report.h"

static const char verb[] = "diff";

static const char usage[] =
    "usage: optally diff [OPTION...] A B\n"
    "       optally diff [OPTION...] --baseline A... --candidate B...\n"
    "\n"
    "Says what changed from A to B, counted over everything that ran: first what cannot be\n"
    "compared, then the sums, then the operators whose change is the largest, each split into "
    "more\n"
    "calls and costlier ones. A and B are traces, recordings, or runs of the store. Of several\n"
    "runs a side the medians are compared; three or more a side give intervals.\n"
    "\n"
    "  --baseline A...      the runs before, up to the next option\n"
    "  --candidate B...     the runs after\n"
    "  --measure WHAT       self (default), device, inclusive, calls or allocated\n"
    "  --fail-above PCT%    exit with 3 if the whole grew by more than that; NAME=PCT% for one\n"
    "                       operator. May be given several times\n"
    "  --limit N            show N operators, or all (default: 20); nothing else changes\n"
    "  --json, --csv        for programs instead of people; CSV has the operators alone\n"
    "  --markdown           for a comment on a change of code\n"
    "  --recover            skip what is damaged or cut off, and count what is whole\n"
    "  --color WHEN         auto (on a terminal, unless NO_COLOR is set), always or "
    "never\n" OT_INPUT_USAGE "  -h, --help           print this\n";

enum {
    OPT_BASELINE = 256,
    OPT_CANDIDATE,
    OPT_MEASURE,
    OPT_FAIL_ABOVE,
    OPT_LIMIT,
    OPT_JSON,
    OPT_CSV,
    OPT_MARKDOWN,
    OPT_RECOVER,
    OPT_COLOR
};
enum { DEFAULT_LIMIT = 20, FILE_WIDTH = 100, NOT_AN_OPTION = 1, EXIT_GREW = 3 };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"baseline", required_argument, NULL, OPT_BASELINE},
    {"candidate", required_argument, NULL, OPT_CANDIDATE},
    {"measure", required_argument, NULL, OPT_MEASURE},
    {"fail-above", required_argument, NULL, OPT_FAIL_ABOVE},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", no_argument, NULL, OPT_CSV},
    {"markdown", no_argument, NULL, OPT_MARKDOWN},
    {"recover", no_argument, NULL, OPT_RECOVER},
    {"color", required_argument, NULL, OPT_COLOR},
    OT_INPUT_OPTIONS,
    {0},
};

struct diff_args {
    enum ot_diff_measure measure;
    enum ot_diff_format format;
    enum ot_color color;
    struct ot_input_opts from;
    int64_t limit;
    bool json; /* asked for, also where the rest of the command line makes no sense */
    bool recover;
    bool help;
    struct ot_run_args plain; /* behind no option */
    struct ot_run_args sides[OT_DIFF_SIDES];
    struct ot_run_args *current; /* of the arguments that come */
    struct ot_diff_gate *gates;
    size_t n_gates;
};

static int choose_format(struct diff_args *args, enum ot_diff_format format, struct ot_err *err)
{
    if (args->format != OT_DIFF_TEXT && args->format != format)
        return ot_err_set(err, OT_ERR_USAGE, "--json, --csv and --markdown exclude each other");
    args->format = format;
    args->json |= format == OT_DIFF_JSON;
    return OT_OK;
}

static void add_run(struct ot_run_args *list, const char *arg)
{
    list->args[list->n++] = arg;
}

static int begin_side(struct diff_args *args, enum ot_diff_side side)
{
    args->current = &args->sides[side];
    add_run(args->current, optarg);
    return OT_OK;
}

/* What is no option comes in its place, so that a side's runs are known. */
static int take_option(int c, void *context, struct ot_err *err)
{
    struct diff_args *args = context;
    if (c == NOT_AN_OPTION) {
        add_run(args->current, optarg);
        return OT_OK;
    }
    args->current = &args->plain;
    switch (c) {
    case OPT_BASELINE:
        return begin_side(args, OT_DIFF_BASELINE);
    case OPT_CANDIDATE:
        return begin_side(args, OT_DIFF_CANDIDATE);
    case OPT_MEASURE:
        return ot_diff_measure_parse(optarg, &args->measure, err);
    case OPT_FAIL_ABOVE:
        return ot_diff_gate_parse(optarg, &args->gates[args->n_gates++], err);
    case OPT_LIMIT:
        return ot_parse_limit("--limit", optarg, &args->limit, err);
    case OPT_JSON:
        return choose_format(args, OT_DIFF_JSON, err);
    case OPT_CSV:
        return choose_format(args, OT_DIFF_CSV, err);
    case OPT_MARKDOWN:
        return choose_format(args, OT_DIFF_MARKDOWN, err);
    case OPT_RECOVER:
        args->recover = true;
        return OT_OK;
    case OPT_COLOR:
        return ot_color_parse(optarg, &args->color, err);
    default:
        ot_input_option(c, &args->from);
        return OT_OK;
    }
}

/* A and B alone are one run a side. */
static int settle_sides(struct diff_args *args, struct ot_err *err)
{
    struct ot_run_args *sides = args->sides;
    if (args->plain.n && (sides[0].n || sides[1].n))
        return ot_err_set(
            err, OT_ERR_USAGE,
            "'%s' is of neither side: runs stand behind --baseline or --candidate, or "
            "without these as A B",
            args->plain.args[0]);
    if (args->plain.n && args->plain.n != 2)
        return ot_err_set(err, OT_ERR_USAGE,
                          "two runs are compared, and %zu %s given; several a side stand behind "
                          "--baseline and --candidate",
                          args->plain.n, args->plain.n == 1 ? "is" : "are");
    for (size_t i = 0; i < args->plain.n; i++)
        add_run(&sides[i], args->plain.args[i]);
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        if (sides[side].n == 0)
            return ot_err_set(err, OT_ERR_USAGE, "%s (see optally diff --help)",
                              sides[!side].n == 0        ? "no runs to compare are given"
                              : side == OT_DIFF_BASELINE ? "no --baseline is given"
                                                         : "no --candidate is given");
        if (sides[side].n > OT_DIFF_MAX_RUNS)
            return ot_err_set(err, OT_ERR_USAGE, "%zu runs are given for the %s; it can have %d",
                              sides[side].n, ot_diff_side_names[side], OT_DIFF_MAX_RUNS);
    }
    return OT_OK;
}

static int check_gates(const struct diff_args *args, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < args->n_gates && code == OT_OK; i++)
        code = ot_diff_gate_check(&args->gates[i], args->measure, err);
    return code;
}

/* There is room for as many of each as there are arguments. */
static int make_room(int argc, struct diff_args *args, struct ot_err *err)
{
    struct ot_run_args *lists[] = {&args->plain, &args->sides[0], &args->sides[1]};
    bool has_room = true;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        lists[i]->args = calloc((size_t)argc + 1, sizeof(*lists[i]->args));
        has_room &= lists[i]->args != NULL;
    }
    args->gates = calloc((size_t)argc + 1, sizeof(*args->gates));
    args->current = &args->plain;
    return has_room && args->gates ? OT_OK
                                   : ot_err_set(err, OT_ERR_NOMEM, "out of memory for arguments");
}

static int parse(int argc, char **argv, struct diff_args *args, struct ot_err *err)
{
    int code = make_room(argc, args, err);
    static const struct ot_options walk = {
        .verb = verb, .shorts = "-:h", .longs = options, .take = take_option};
    if (code == OT_OK)
        code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    while (optind < argc) /* behind "--" */
        add_run(args->current, argv[optind++]);
    code = settle_sides(args, err);
    return code == OT_OK ? check_gates(args, err) : code;
}

static void release_args(struct diff_args *args)
{
    free(args->plain.args);
    free(args->sides[0].args);
    free(args->sides[1].args);
    free(args->gates);
}

/* Both sides, as one list; NULL: memory is out. */
static const char **list_inputs(const struct diff_args *args, size_t *ret_n)
{
    const struct ot_run_args *sides = args->sides;
    struct ot_run_args all = {calloc(sides[0].n + sides[1].n + 1, sizeof(*all.args)), 0};
    for (int side = 0; side < OT_DIFF_SIDES && all.args; side++) {
        for (size_t i = 0; i < sides[side].n; i++)
            add_run(&all, sides[side].args[i]);
    }
    *ret_n = all.n;
    return all.args;
}

static int fail(const struct diff_args *args, int code, const struct ot_err *err)
{
    size_t n = 0;
    const char **inputs = list_inputs(args, &n);
    int status = ot_fail_as_asked(&(struct ot_cli_failure){
        .verb = verb,
        .code = code,
        .err = err,
        .json = args->json,
        .inputs = inputs,
        .n_inputs = n,
    });
    free(inputs);
    return status;
}

static int write_report(const struct diff_args *args, const struct ot_diff *diff,
                        struct ot_err *err)
{
    const struct ot_diff_report report = {
        .diff = diff,
        .gates = args->gates,
        .n_gates = args->n_gates,
        .limit = args->limit,
    };
    struct ot_look look;
    ot_tty_look(STDOUT_FILENO, args->color, &look);
    if (!look.is_terminal)
        look.width = FILE_WIDTH;
    int code = ot_diff_write(&report, args->format, &look, stdout, err);
    errno = 0;
    if (code == OT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        errno = errno ? errno : EIO;
        code = ot_err_sys(err, OT_ERR_IO, "cannot write the output");
    }
    return code;
}

/* What is said beside a comparison, whatever its form. */
static void tell(const struct diff_args *args, const struct ot_diff *diff)
{
    size_t n_rows = diff->operators.n_rows + diff->devices.n_rows;
    size_t limit = args->limit < 0 ? SIZE_MAX : (size_t)args->limit;
    size_t n_shown = (diff->operators.n_rows < limit ? diff->operators.n_rows : limit) +
                     (diff->devices.n_rows < limit ? diff->devices.n_rows : limit);
    for (size_t i = 0; i < diff->n_facts; i++) {
        const struct ot_diff_fact *fact = &diff->facts[i];
        if (fact->kind == OT_DIFF_SAME_TRACE)
            ot_complain(verb, "warning: %.*s of the baseline is the same trace as %.*s",
                        (int)fact->of[0].len, fact->of[0].bytes, (int)fact->of[1].len,
                        fact->of[1].bytes);
    }
    if (args->format == OT_DIFF_CSV && n_shown < n_rows)
        ot_complain(verb, "%zu of %zu rows shown", n_shown, n_rows);
    for (size_t i = 0; i < args->n_gates; i++) {
        struct ot_str words = {0};
        ot_diff_add_verdict(&words, diff, &args->gates[i]);
        ot_complain(verb, "%s", ot_str_borrow(&words));
        ot_str_release(&words);
    }
}

/* One limit that was met outweighs one that cannot be judged. */
static int verdict_of(const struct diff_args *args)
{
    int status = OT_EXIT_OK;
    for (size_t i = 0; i < args->n_gates; i++) {
        if (args->gates[i].verdict == OT_DIFF_FAIL)
            return EXIT_GREW;
        if (args->gates[i].verdict == OT_DIFF_UNKNOWN)
            status = OT_EXIT_FAILED;
    }
    return status;
}

static int compare(const struct diff_args *args, struct ot_diff *diff, struct ot_progress *progress,
                   struct ot_err *err)
{
    struct ot_diff_reading_opts opts = {
        .verb = verb,
        .from = args->from,
        .progress = progress,
        .recover = args->recover,
        .tells_lower_bounds = args->format == OT_DIFF_JSON || args->format == OT_DIFF_CSV,
    };
    int code = ot_store_module_load(&opts.store, err);
    if (code == OT_OK)
        code = ot_diff_read_runs(diff, args->sides, &opts, err);
    ot_progress_phase(progress, "comparing", 0);
    if (code == OT_OK)
        code = ot_diff_finish(diff, err);
    for (size_t i = 0; i < args->n_gates && code == OT_OK; i++)
        code = ot_diff_gate_judge(diff, &args->gates[i], err);
    return code;
}

/* One progress for all runs: each alone may be too short to draw any. */
static int compare_and_draw(const struct diff_args *args, struct ot_diff *diff, struct ot_err *err)
{
    struct ot_progress progress;
    size_t n = 0;
    const char **inputs = list_inputs(args, &n);
    if (!inputs)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for arguments");
    ot_progress_start(&progress, "reading", inputs, n);
    int code = compare(args, diff, &progress, err);
    ot_progress_stop(&progress);
    free(inputs);
    return code;
}

static int run(const struct diff_args *args)
{
    struct ot_diff diff = {.measure = args->measure};
    struct ot_err err;
    int code = compare_and_draw(args, &diff, &err);
    if (code == OT_OK)
        code = write_report(args, &diff, &err);
    if (code == OT_OK)
        tell(args, &diff);
    ot_diff_release(&diff);
    return code < 0 ? fail(args, code, &err) : verdict_of(args);
}

int ot_cmd_diff(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct diff_args args = {.limit = DEFAULT_LIMIT, .json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    ot_tty_set_stderr_color(args.color);
    int status = OT_EXIT_OK;
    if (code < 0)
        status = fail(&args, code, &err);
    else
        status = args.help ? ot_print_usage(verb, usage) : run(&args);
    release_args(&args);
    return status;
}
