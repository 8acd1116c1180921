/* cmd_timeline.c: optally timeline: a trace as a timeline that other viewers open. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/distinct.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_timeline.h"
#include "cli/timeline_chrome.h"
#include "cli/verb.h"
#include "emit/notes/notes.h"

static const char verb[] = "timeline";

static const char usage[] =
    "usage: optally timeline [OPTION...] -o FILE INPUT...\n"
    "\n"
    "Writes everything that ran as a timeline, for https://ui.perfetto.dev, Perfetto's\n"
    "trace_processor or another viewer. Several inputs are the ranks of one job. INPUT may also be "
    "a\n"
    "run of the store, or RUN:rank3 of one.\n"
    "\n"
    "  -o, --output FILE    the file to write; - is standard output\n"
    "      --format pftrace|chrome\n"
    "                       Perfetto's own format, or the JSON of Chrome's traces, which\n"
    "                       torch.profiler writes; if not given, FILE's name says it: .json is\n"
    "                       chrome\n"
    "      --recover        skip what is damaged, and say so\n" OT_INPUT_USAGE
    "  -h, --help           print this\n";

enum { OPT_FORMAT = 256, OPT_RECOVER };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"recover", no_argument, NULL, OPT_RECOVER},
    OT_INPUT_OPTIONS,
    {0},
};

struct timeline_args {
    struct ot_input_opts from;
    const char *output;
    const struct format *format; /* NULL: not given */
    bool recover;
    bool help;
    const char *const *inputs;
    size_t n_inputs;
};

static int write_pftrace(const struct timeline_args *args, const struct ot_distinct *inputs,
                         struct ot_err *err);
static int write_chrome(const struct timeline_args *args, const struct ot_distinct *inputs,
                        struct ot_err *err);

static const struct format {
    const char *name;
    const char *suffix; /* of files that have it without being asked; NULL: all others */
    int (*write)(const struct timeline_args *args, const struct ot_distinct *inputs,
                 struct ot_err *err);
} formats[] = {
    {"chrome", ".json", write_chrome},
    {"pftrace", NULL, write_pftrace},
};
enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* --- the command line ---------------------------------------------------------------------------
 */

static int parse_format(const char *name, struct timeline_args *args, struct ot_err *err)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            args->format = &formats[i];
            return OT_OK;
        }
    }
    return ot_err_set(err, OT_ERR_USAGE, "--format: '%s' is none of pftrace, chrome", name);
}

static const struct format *format_of(const char *file)
{
    size_t i = 0;
    while (formats[i].suffix && !ot_text_ends_in(ot_text_of(file), formats[i].suffix))
        i++;
    return &formats[i];
}

/* A name that says it is packed is not to be believed. */
static int refuse_packed(const char *file, struct ot_err *err)
{
    static const char *const suffixes[] = {".gz", ".zst"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (ot_text_ends_in(ot_text_of(file), suffixes[i]))
            return ot_err_set(err, OT_ERR_USAGE,
                              "%s: the output is not packed: choose a name without %s", file,
                              suffixes[i]);
    }
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct timeline_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    switch (c) {
    case 'o':
        args->output = optarg;
        return OT_OK;
    case OPT_FORMAT:
        return parse_format(optarg, args, err);
    default:
        args->recover = true;
        return OT_OK;
    }
}

static int parse(int argc, char **argv, struct timeline_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {
        .verb = verb, .shorts = ":ho:", .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (!args->output)
        return ot_err_set(err, OT_ERR_USAGE,
                          "no output given: -o FILE (see optally timeline --help)");
    code = ot_options_inputs(&walk, argc, argv, &args->inputs, &args->n_inputs, err);
    return code == OT_OK ? refuse_packed(args->output, err) : code;
}

/* --- what there is to say -----------------------------------------------------------------------
 */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void tell_losses(const struct ot_counts *counts)
{
    struct ot_str line = {0};
    ot_notes_add_reasons(&line, counts);
    if (line.len)
        ot_complain(verb, "warning: not all that ran is there: %s", ot_str_borrow(&line));
    ot_str_release(&line);
}

/* What the picture shows otherwise than somebody might think. */
static void tell_notes(const struct ot_timeline_totals *totals)
{
    const struct {
        uint64_t n;
        const char *what;
    } notes[] = {
        {totals->n_unfinished, "open where the trace ends, and drawn without an end"},
        {totals->n_lost, "without an exit, and drawn up to what closed the call"},
        {totals->n_instants, "without an entry, and drawn as a point"},
        {totals->n_moved,
         "in another row: the first one holds what overlaps, or is as deep as viewers take"},
    };
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        if (notes[i].n)
            ot_complain(verb, "note: %" PRIu64 " slice%s: %s", notes[i].n, plural(notes[i].n),
                        notes[i].what);
    }
    if (totals->n_left_out)
        ot_complain(
            verb, "warning: %" PRIu64 " slice%s left out: more than %d calls at once in one place",
            totals->n_left_out, plural(totals->n_left_out), OT_TIMELINE_ROWS_MAX);
    if (totals->n_arrows_without_slice)
        ot_complain(verb, "note: %" PRIu64 " end%s of arrows left out: no slice begins there",
                    totals->n_arrows_without_slice, plural(totals->n_arrows_without_slice));
    if (totals->n_unaligned)
        ot_complain(verb, "warning: not every trace says what its times count from "
                          "(baseTimeNanoseconds): each begins at 0, and they are not lined up");
    if (totals->is_shifted)
        ot_complain(verb, "note: all times were moved, since some were before 0");
}

static void tell_size(const struct timeline_args *args, const char *what, off_t bytes,
                      const char *viewer)
{
    char size[OT_UNITS_BYTES] = "";
    if (bytes)
        ot_units_bytes(size, (uint64_t)bytes);
    ot_complain(verb, "%s: %s%s%s%s; %s",
                strcmp(args->output, "-") == 0 ? "standard output" : args->output, what,
                bytes ? " (" : "", size, bytes ? ")" : "", viewer);
}

/* --- writing ------------------------------------------------------------------------------------
 */

struct writing {
    struct ot_outfile file;
    struct ot_progress progress;
    off_t bytes; /* once it is kept; 0 where nobody knows */
};

/* Nothing is drawn on a terminal that may show the output, itself or through a pipe. */
static int begin_writing(const struct timeline_args *args, const struct ot_distinct *inputs,
                         struct writing *writing, struct ot_err *err)
{
    struct stat status;
    int code = ot_outfile_open(&writing->file, args->output, inputs->inputs, inputs->n, err);
    if (code < 0)
        return code;
    if (fstat(fileno(writing->file.out), &status) == 0 && S_ISREG(status.st_mode))
        ot_progress_start(&writing->progress, "reading", inputs->inputs, inputs->n);
    return OT_OK;
}

static int end_writing(struct writing *writing, int code, struct ot_err *err)
{
    ot_progress_stop(&writing->progress);
    if (code == OT_OK)
        return ot_outfile_keep(&writing->file, &writing->bytes, err);
    if (ferror(writing->file.out))
        ot_err_context(err, "%s", writing->file.name);
    ot_outfile_abandon(&writing->file);
    return code;
}

static int draw(const struct timeline_args *args, const struct ot_distinct *inputs,
                struct writing *writing, struct ot_timeline_run *run, struct ot_err *err)
{
    if (isatty(fileno(writing->file.out)))
        return ot_err_set(err, OT_ERR_USAGE,
                          "standard output is a terminal, which cannot show a timeline: -o FILE");
    return ot_timeline_run(inputs->inputs, inputs->n, args->recover, &writing->progress,
                           &writing->file, run, err);
}

static int write_pftrace(const struct timeline_args *args, const struct ot_distinct *inputs,
                         struct ot_err *err)
{
    struct writing writing = {0};
    struct ot_timeline_run run = {0};
    int code = begin_writing(args, inputs, &writing, err);
    if (code == OT_OK)
        code = end_writing(&writing, draw(args, inputs, &writing, &run, err), err);
    if (code < 0)
        return code;
    ot_tell_warnings(verb, &run.warnings);
    tell_losses(&run.counts);
    tell_notes(&run.totals);
    if (run.totals.n_slices == 0)
        ot_complain(verb, "warning: there are no slices to draw");
    char what[128];
    snprintf(what, sizeof(what), "%" PRIu64 " slice%s on %" PRIu64 " track%s", run.totals.n_slices,
             plural(run.totals.n_slices), run.totals.n_tracks, plural(run.totals.n_tracks));
    tell_size(args, what, writing.bytes,
              "open it at https://ui.perfetto.dev, or with trace_processor");
    return OT_OK;
}

/* What the JSON does not hold as the inputs did. */
static void tell_changes(const struct ot_timeline_chrome_totals *totals)
{
    if (totals->n_replaced)
        ot_complain(verb, "note: %" PRIu64 " byte%s that JSON does not allow became U+FFFD",
                    totals->n_replaced, plural(totals->n_replaced));
    if (totals->n_unfinished)
        ot_complain(verb,
                    "note: %" PRIu64 " call%s open where the trace ends: written without an end",
                    totals->n_unfinished, plural(totals->n_unfinished));
    if (totals->n_left_out)
        ot_complain(verb,
                    "warning: %" PRIu64 " call%s left out, whose beginning or end is not known",
                    totals->n_left_out, plural(totals->n_left_out));
}

static int write_chrome(const struct timeline_args *args, const struct ot_distinct *inputs,
                        struct ot_err *err)
{
    struct writing writing = {0};
    struct ot_timeline_chrome_totals totals = {0};
    const struct ot_timeline_chrome_opts opts = {.recover = args->recover,
                                                 .read_bytes = &writing.progress.read_bytes};
    int code = begin_writing(args, inputs, &writing, err);
    if (code == OT_OK) {
        code = ot_timeline_chrome(inputs->inputs, inputs->n, &opts, writing.file.out, &totals, err);
        code = end_writing(&writing, code, err);
    }
    if (code < 0)
        return code;
    ot_tell_warnings(verb, &totals.warnings);
    tell_losses(&totals.counts);
    tell_changes(&totals);
    char what[128];
    snprintf(what, sizeof(what), "%" PRIu64 " event%s", totals.n_events, plural(totals.n_events));
    tell_size(args, what, writing.bytes,
              "open it at https://ui.perfetto.dev, in chrome://tracing or with json.load");
    return OT_OK;
}

int ot_cmd_timeline(int argc, char **argv)
{
    struct timeline_args args = {0};
    struct ot_inputs given = {0};
    struct ot_distinct inputs = {0};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = ot_inputs_resolve_to_open(&given, args.inputs, args.n_inputs, &args.from, &err);
    if (code == OT_OK)
        code = ot_distinct_init(&inputs, verb, given.paths, given.n, &err);
    if (code == OT_OK) {
        const struct format *format = args.format ? args.format : format_of(args.output);
        args.recover |= given.recover;
        code = format->write(&args, &inputs, &err);
    }
    ot_distinct_release(&inputs);
    ot_inputs_release(&given);
    return code == OT_OK ? OT_EXIT_OK : ot_fail(verb, code, &err);
}
