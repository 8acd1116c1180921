/* cmd_export.c: optally export: a trace in a format that other programs read. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/apart.h"
#include "cli/aside.h"
#include "cli/distinct.h"
#include "cli/export_tables.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "emit/ctf/writer.h"
#include "ingest/detect.h"

static const char verb[] = "export";

static const char usage[] =
    "usage: optally export --parquet DIR | --csv DIR | --jsonl DIR | --ctf DIR\n"
    "                      [--force] [--recover] INPUT...\n"
    "\n"
    "Writes traces in a format that other programs read, into a new folder DIR.\n"
    "\n"
    "      --parquet DIR  every operator, slice and memory event, as tables (columnar files)\n"
    "      --csv DIR      the same tables as text with commas\n"
    "      --jsonl DIR    the same tables as JSON, an object per line\n"
    "      --ctf DIR      a CTF 1.8 trace, for babeltrace2 and Trace Compass; of recordings of\n"
    "                     the built-in writer alone\n"
    "      --force        replace the export that is there\n"
    "      --recover      skip what is damaged, and say so\n" OT_INPUT_USAGE
    "  -h, --help         print this\n";

enum {
    OPT_CTF = 256,
    OPT_FORCE,
    OPT_RECOVER,
    OPT_TABLES, /* and from here on, in the order of enum ot_tables_format */
    OPT_PARQUET = OPT_TABLES + OT_TABLES_PARQUET,
    OPT_CSV = OPT_TABLES + OT_TABLES_CSV,
    OPT_JSONL = OPT_TABLES + OT_TABLES_JSONL
};

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"parquet", required_argument, NULL, OPT_PARQUET},
    {"csv", required_argument, NULL, OPT_CSV},
    {"jsonl", required_argument, NULL, OPT_JSONL},
    {"ctf", required_argument, NULL, OPT_CTF},
    {"force", no_argument, NULL, OPT_FORCE},
    {"recover", no_argument, NULL, OPT_RECOVER},
    OT_INPUT_OPTIONS,
    {0},
};

struct export_args {
    struct ot_input_opts from;
    struct ot_inputs given;
    const char *folder; /* NULL: no format was chosen */
    int format;         /* the option that chose it */
    bool force;
    bool recover;
    bool help;
    const char *const *inputs;
    size_t n_inputs;
};

static int choose_format(struct export_args *args, int format, struct ot_err *err)
{
    if (args->folder)
        return ot_err_set(err, OT_ERR_USAGE,
                          "one format at a time: --parquet, --csv, --jsonl or --ctf");
    args->folder = optarg;
    args->format = format;
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct export_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    if (c != OPT_FORCE && c != OPT_RECOVER)
        return choose_format(args, c, err);
    *(c == OPT_FORCE ? &args->force : &args->recover) = true;
    return OT_OK;
}

static int parse(int argc, char **argv, struct export_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (!args->folder)
        return ot_err_set(err, OT_ERR_USAGE,
                          "no format given: --parquet, --csv, --jsonl or --ctf DIR (see optally "
                          "export --help)");
    return ot_options_inputs(&walk, argc, argv, &args->inputs, &args->n_inputs, err);
}

/* What a writer leaves out and a reader has lost, for the lines at the end. */
struct remarks {
    struct ot_ctf_left_out left_out;
    struct ot_reader_report report;
};

static int copy_events(const struct ot_reader_class *class, struct ot_reader *reader,
                       struct ot_ctf_writer *writer, struct ot_err *err)
{
    struct ot_event event;
    int code = OT_OK;
    while ((code = class->next(reader, &event, err)) == OT_OK) {
        code = ot_ctf_writer_add(writer, &event, err);
        if (code < 0)
            return code;
    }
    return code == OT_END ? OT_OK : code;
}

static int write_ctf(const struct ot_reader_class *class, struct ot_reader *reader,
                     const char *folder, struct remarks *remarks, struct ot_err *err)
{
    struct ot_ctf_writer *writer = ot_ctf_writer_new(folder);
    if (!writer)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a CTF trace");
    int code = copy_events(class, reader, writer, err);
    if (code == OT_OK)
        code = ot_ctf_writer_finish(writer, &remarks->left_out, err);
    ot_ctf_writer_free(writer);
    return code;
}

static int open_inputs(const struct export_args *args, const struct ot_distinct *distinct,
                       struct ot_progress *progress, const struct ot_reader_class **ret_class,
                       struct ot_reader **ret_reader, struct ot_err *err)
{
    const struct ot_reader_opts opts = {.recover = args->recover || args->given.recover,
                                        .read_bytes = &progress->read_bytes};
    int code = ot_detect(distinct->inputs, distinct->n, ret_class, err);
    if (code < 0)
        return code;
    if (strcmp((*ret_class)->format, "oplog") != 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s (%s): --ctf takes recordings of the built-in writer alone (optally "
                          "record); --parquet takes every trace",
                          distinct->inputs[0], (*ret_class)->name);
    return (*ret_class)->open(distinct->inputs, distinct->n, &opts, ret_reader, err);
}

/* One line each, for whoever looks for what the recording has in the export. */
static void tell_what_is_left_out(const struct remarks *remarks)
{
    const struct ot_ctf_left_out *left_out = &remarks->left_out;
    const struct ot_counts *counts = &remarks->report.counts;
    const struct {
        uint64_t n;
        const char *what;
    } lacks[] = {
        {left_out->sequences, "sequence numbers"},
        {left_out->shapes, "input shapes"},
        {left_out->memory_events, "memory events"},
    };
    const char *separator = "left out, since CTF's events have no place for them: ";
    struct ot_str line = {0};
    for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
        if (lacks[i].n == 0)
            continue;
        ot_str_addf(&line, "%s%s (%" PRIu64 ")", separator, lacks[i].what, lacks[i].n);
        separator = ", ";
    }
    if (line.len)
        ot_complain(verb, "note: %s", ot_str_borrow(&line));
    ot_str_release(&line);
    if (left_out->crossings)
        ot_complain(verb,
                    "note: %" PRIu64 " %s ended while calls that began later were open: the "
                    "export cannot say which call an exit ends, so its readers may tell these "
                    "otherwise",
                    left_out->crossings, left_out->crossings == 1 ? "call" : "calls");
    if (counts->damaged_events || counts->truncated_inputs || counts->lost_names)
        ot_complain(verb, "note: the recording is not whole; the export does not say so");
}

static int export_ctf(const struct export_args *args, const struct ot_distinct *distinct,
                      const char *folder, struct ot_err *err)
{
    const struct ot_reader_class *class = NULL;
    struct ot_reader *reader = NULL;
    struct remarks remarks = {0};
    struct ot_progress progress;
    ot_progress_start(&progress, "exporting", distinct->inputs, distinct->n);
    int code = open_inputs(args, distinct, &progress, &class, &reader, err);
    if (code == OT_OK)
        code = write_ctf(class, reader, folder, &remarks, err);
    ot_progress_stop(&progress);
    if (code == OT_OK) {
        if (class->report)
            class->report(reader, &remarks.report);
        /* The texts are the reader's. */
        ot_tell_warnings(verb, &remarks.report.warnings);
        tell_what_is_left_out(&remarks);
    }
    if (reader)
        class->close(reader);
    return code;
}

static int export_tables(const struct export_args *args, const struct ot_distinct *distinct,
                         const char *folder, struct ot_err *err)
{
    struct ot_progress progress;
    ot_progress_start(&progress, "exporting", distinct->inputs, distinct->n);
    const struct ot_export_tables opts = {
        .verb = verb,
        .given = &args->given,
        .inputs = distinct,
        .format = (enum ot_tables_format)(args->format - OPT_TABLES),
        .recover = args->recover,
        .folder = folder,
        .read_bytes = &progress.read_bytes,
    };
    int code = ot_export_tables(&opts, err);
    ot_progress_stop(&progress);
    return code;
}

/* All that is read and written, into a folder that nobody knows yet. */
struct work {
    const struct export_args *args;
    const struct ot_distinct *distinct;
    const char *folder;
};

static int fill_folder(void *context)
{
    const struct work *work = context;
    struct ot_err err;
    int code = work->args->format == OPT_CTF
                   ? export_ctf(work->args, work->distinct, work->folder, &err)
                   : export_tables(work->args, work->distinct, work->folder, &err);
    return code == OT_OK ? OT_EXIT_OK : ot_fail(verb, code, &err);
}

/* However the work ends, nothing half-written is left. */
static int export(const struct export_args *args, const struct ot_distinct *distinct)
{
    struct ot_apart apart;
    struct ot_aside aside;
    struct ot_err err;
    int status = OT_EXIT_FAILED;
    ot_apart_begin(&apart);
    int code = ot_aside_make(&aside, args->folder, args->force, &err);
    if (code < 0)
        return ot_fail(verb, code, &err);
    struct work work = {args, distinct, aside.work};
    code = ot_apart_run(&apart, fill_folder, &work, &status, &err);
    if (code < 0 || status != OT_EXIT_OK) {
        ot_aside_abandon(&aside);
        if (code < 0)
            ot_complain_of_error(verb, "%s", err.msg);
        return status;
    }
    code = ot_aside_keep(&aside, &err);
    return code == OT_OK ? OT_EXIT_OK : ot_fail(verb, code, &err);
}

int ot_cmd_export(int argc, char **argv)
{
    struct export_args args = {0};
    struct ot_distinct distinct = {0};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = ot_inputs_resolve_to_open(&args.given, args.inputs, args.n_inputs, &args.from, &err);
    if (code == OT_OK)
        code = ot_distinct_init(&distinct, verb, args.given.paths, args.given.n, &err);
    int status = code == OT_OK ? export(&args, &distinct) : ot_fail(verb, code, &err);
    ot_distinct_release(&distinct);
    ot_inputs_release(&args.given);
    return status;
}
