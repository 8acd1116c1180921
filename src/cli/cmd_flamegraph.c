/* cmd_flamegraph.c: optally flamegraph: which operator inside which, as wide as what it took. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/str.h"
#include "cli/flame_side.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "emit/flame/flame.h"

static const char verb[] = "flamegraph";

static const char usage[] =
    "usage: optally flamegraph [OPTION...] -o FILE INPUT...\n"
    "\n"
    "Draws which operator ran inside which, each as wide as what it took. INPUT is a trace of\n"
    "torch.profiler (.json, .json.gz, .json.zst; - for standard input), a recording of optally or\n"
    "another LTTng/CTF trace folder; several of a kind are the ranks of one job. Or it is a run "
    "of\n"
    "the store, or RUN:rank3 of one.\n"
    "\n"
    "  -o, --output FILE    where it goes; - for standard output\n"
    "      --format FORMAT  svg: a picture for a browser; folded: lines of text for other tools\n"
    "                       (default: folded for a FILE that ends in .folded or .txt, else svg)\n"
    "      --weight WEIGHT  self: time (default); calls; alloc: allocated bytes; device: time of\n"
    "                       the device work that they launched\n"
    "      --by thread      each thread apart\n"
    "      --diff OTHER     what is more and what is less than in OTHER; again for its other "
    "ranks\n"
    "      --title TEXT     what stands above the picture\n"
    "      --recover        skip what is damaged or cut off, and count what is "
    "whole\n" OT_INPUT_USAGE "  -h, --help           print this\n";

enum { OPT_FORMAT = 256, OPT_WEIGHT, OPT_BY, OPT_DIFF, OPT_TITLE, OPT_RECOVER };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"weight", required_argument, NULL, OPT_WEIGHT},
    {"by", required_argument, NULL, OPT_BY},
    {"diff", required_argument, NULL, OPT_DIFF},
    {"title", required_argument, NULL, OPT_TITLE},
    {"recover", no_argument, NULL, OPT_RECOVER},
    OT_INPUT_OPTIONS,
    {0},
};

enum format { FORMAT_GUESSED, FORMAT_SVG, FORMAT_FOLDED };

static const char *const weights[OT_FLAME_WEIGHTS] = {
    [OT_FLAME_SELF] = "self",
    [OT_FLAME_CALLS] = "calls",
    [OT_FLAME_ALLOCATED] = "alloc",
    [OT_FLAME_DEVICE] = "device",
};

struct flamegraph_args {
    struct ot_input_opts from;
    const char *output;  /* never NULL once the command line was parsed */
    bool is_output_text; /* by its name */
    enum format format;
    enum ot_flame_weight weight;
    bool by_thread;
    const char *title;
    bool recover;
    bool help;
    const char **all; /* what is read: that of --diff, then the inputs */
    size_t n_others;
    const char *const *inputs;
    size_t n_inputs;
};

/* --- the command line ---------------------------------------------------------------------------
 */

static int parse_format(const char *value, enum format *ret_format, struct ot_err *err)
{
    if (strcmp(value, "svg") == 0)
        *ret_format = FORMAT_SVG;
    else if (strcmp(value, "folded") == 0)
        *ret_format = FORMAT_FOLDED;
    else
        return ot_err_set(err, OT_ERR_USAGE, "--format: '%s' is neither svg nor folded", value);
    return OT_OK;
}

static int parse_weight(const char *value, enum ot_flame_weight *ret_weight, struct ot_err *err)
{
    for (int i = 0; i < OT_FLAME_WEIGHTS; i++) {
        if (strcmp(value, weights[i]) == 0) {
            *ret_weight = (enum ot_flame_weight)i;
            return OT_OK;
        }
    }
    return ot_err_set(err, OT_ERR_USAGE, "--weight: '%s' is none of self, calls, alloc, device",
                      value);
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct flamegraph_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    switch (c) {
    case 'o':
        args->output = optarg;
        args->is_output_text = ot_text_ends_in(ot_text_of(optarg), ".folded") ||
                               ot_text_ends_in(ot_text_of(optarg), ".txt");
        return OT_OK;
    case OPT_FORMAT:
        return parse_format(optarg, &args->format, err);
    case OPT_WEIGHT:
        return parse_weight(optarg, &args->weight, err);
    case OPT_BY:
        if (strcmp(optarg, "thread") != 0)
            return ot_err_set(err, OT_ERR_USAGE, "--by: '%s' is not thread", optarg);
        args->by_thread = true;
        return OT_OK;
    case OPT_DIFF:
        args->all[args->n_others++] = optarg;
        return OT_OK;
    case OPT_TITLE:
        args->title = optarg;
        return OT_OK;
    default:
        args->recover = true;
        return OT_OK;
    }
}

static int check_args(const struct flamegraph_args *args, struct ot_err *err)
{
    if (!args->output)
        return ot_err_set(err, OT_ERR_USAGE,
                          "no file to write to: -o FILE (see optally flamegraph --help)");
    if (args->n_inputs == 0)
        return ot_err_set(err, OT_ERR_USAGE, "no INPUT given (see optally flamegraph --help)");
    size_t n_dashes = 0;
    for (size_t i = 0; i < args->n_others + args->n_inputs; i++)
        n_dashes += strcmp(args->all[i], "-") == 0;
    if (n_dashes > 1)
        return ot_err_set(err, OT_ERR_USAGE, "'-' is given twice; it can be read only once");
    if (args->by_thread && args->n_others)
        return ot_err_set(err, OT_ERR_USAGE,
                          "--by thread and --diff exclude each other: the threads of two runs have "
                          "no names in common");
    return OT_OK;
}

static int parse(int argc, char **argv, struct flamegraph_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {
        .verb = verb, .shorts = ":ho:", .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    args->inputs = (const char *const *)argv + optind;
    args->n_inputs = (size_t)(argc - optind);
    for (size_t i = 0; i < args->n_inputs; i++)
        args->all[args->n_others + i] = args->inputs[i];
    return check_args(args, err);
}

/* --- from inputs to a picture -------------------------------------------------------------------
 */

static int write_svg(const struct flamegraph_args *args, const struct ot_flame *flame,
                     const struct ot_flame_side *now, const struct ot_flame_side *before, FILE *out,
                     struct ot_err *err)
{
    struct ot_str title = {0};
    if (args->title) {
        ot_str_addf(&title, "%s", args->title);
    } else {
        ot_flame_side_add_name(&title, now);
        ot_str_addf(&title, "%s", args->n_others ? " against " : "");
        ot_flame_side_add_name(&title, before);
    }
    const struct ot_flame_svg_opts opts = {.title = {ot_str_borrow(&title), title.len}};
    int code = title.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for the title")
                            : ot_flame_write_svg(flame, &opts, out, err);
    ot_str_release(&title);
    return code;
}

static int write_file(const struct flamegraph_args *args, const struct ot_flame_side *now,
                      const struct ot_flame_side *before, struct ot_outfile *file,
                      struct ot_err *err)
{
    struct ot_flame flame = {.now = {&now->stacks, &now->pop}, .weight = args->weight};
    if (args->n_others)
        flame.before = (struct ot_flame_source){&before->stacks, &before->pop};
    bool is_folded =
        args->format == FORMAT_GUESSED ? args->is_output_text : args->format == FORMAT_FOLDED;
    int code = is_folded ? ot_flame_write_folded(&flame, file->out, err)
                         : write_svg(args, &flame, now, before, file->out, err);
    return code == OT_OK ? ot_outfile_keep(file, NULL, err) : code;
}

/* It is none of what is read. */
static int open_output(const struct flamegraph_args *args, const struct ot_inputs *inputs,
                       const struct ot_inputs *others, struct ot_outfile *file, struct ot_err *err)
{
    const char **all = calloc(inputs->n + others->n, sizeof(*all));
    if (!all)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    for (size_t i = 0; i < inputs->n + others->n; i++)
        all[i] = i < inputs->n ? inputs->paths[i] : others->paths[i - inputs->n];
    int code = ot_outfile_open(file, args->output, all, inputs->n + others->n, err);
    free(all);
    return code;
}

static int draw(const struct flamegraph_args *args, const struct ot_inputs *inputs,
                const struct ot_inputs *others, struct ot_err *err)
{
    const struct ot_flame_side_opts opts = {.verb = verb,
                                            .weight = args->weight,
                                            .by_thread = args->by_thread,
                                            .recover = args->recover};
    struct ot_flame_side now = {0};
    struct ot_flame_side before = {0};
    struct ot_outfile file = {0};
    int code = open_output(args, inputs, others, &file, err);
    if (code == OT_OK)
        code = ot_flame_side_read(&now, &opts, inputs, err);
    if (code == OT_OK && args->n_others)
        code = ot_flame_side_read(&before, &opts, others, err);
    if (code == OT_OK)
        code = write_file(args, &now, &before, &file, err);
    if (code == OT_OK) {
        ot_flame_side_tell(&now, verb, args->n_others > 0);
        if (args->n_others)
            ot_flame_side_tell(&before, verb, true);
    }
    ot_outfile_abandon(&file);
    ot_flame_side_release(&now);
    ot_flame_side_release(&before);
    return code;
}

static int read_and_draw(const struct flamegraph_args *args, struct ot_err *err)
{
    struct ot_inputs inputs = {0};
    struct ot_inputs others = {0};
    int code = ot_inputs_resolve_to_open(&inputs, args->inputs, args->n_inputs, &args->from, err);
    if (code == OT_OK)
        code = ot_inputs_resolve_to_open(&others, args->all, args->n_others, &args->from, err);
    if (code == OT_OK)
        code = draw(args, &inputs, &others, err);
    ot_inputs_release(&inputs);
    ot_inputs_release(&others);
    return code;
}

int ot_cmd_flamegraph(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct ot_err err;
    struct flamegraph_args args = {.all = calloc((size_t)argc, sizeof(*args.all))};
    if (!args.all)
        return ot_fail(verb, ot_err_set(&err, OT_ERR_NOMEM, "out of memory for arguments"), &err);
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && !args.help)
        code = read_and_draw(&args, &err);
    free(args.all);
    if (code < 0)
        return ot_fail(verb, code, &err);
    return args.help ? ot_print_usage(verb, usage) : OT_EXIT_OK;
}
