/* cmd_trace.c: optally trace: every event, one line each. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "emit/trace/line.h"
#include "ingest/detect.h"

static const char verb[] = "trace";

static const char usage[] =
    "usage: optally trace [OPTION...] INPUT...\n"
    "\n"
    "Prints every event of the trace, one line each: of a recording in the order of time, of a\n"
    "trace of torch.profiler as the file has them. INPUT may also be a run of the store, or\n"
    "RUN:rank3 of one.\n"
    "\n"
    "  --utc                times of day in UTC instead of local time\n"
    "  --limit N            stop after N events\n"
    "  --recover            skip what is damaged, and say so at the end\n" OT_INPUT_USAGE
    "  -h, --help           print this\n";

enum { OPT_UTC = 256, OPT_LIMIT, OPT_RECOVER };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"utc", no_argument, NULL, OPT_UTC},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"recover", no_argument, NULL, OPT_RECOVER},
    OT_INPUT_OPTIONS,
    {0},
};

struct trace_args {
    struct ot_input_opts from;
    bool utc;
    bool recover;
    bool help;
    uint64_t limit;
};

static int parse_limit(const char *value, uint64_t *ret_limit, struct ot_err *err)
{
    char *end;
    errno = 0;
    long long limit = strtoll(value, &end, 10);
    if (errno || end == value || *end != '\0' || limit < 1)
        return ot_err_set(err, OT_ERR_USAGE, "--limit: '%s' is not a number of events, 1 or more",
                          value);
    *ret_limit = (uint64_t)limit;
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct trace_args *args = context;
    if (ot_input_option(c, &args->from))
        return OT_OK;
    if (c == OPT_LIMIT)
        return parse_limit(optarg, &args->limit, err);
    *(c == OPT_UTC ? &args->utc : &args->recover) = true;
    return OT_OK;
}

static int parse(int argc, char **argv, struct trace_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (optind == argc)
        return ot_err_set(err, OT_ERR_USAGE, "no INPUT given (see optally trace --help)");
    return OT_OK;
}

struct loss {
    uint64_t n_events;
    bool is_known;
};

static int print_event(const struct ot_event *event, bool utc, struct ot_str *line,
                       struct ot_err *err)
{
    ot_str_clear(line);
    ot_trace_add_line(line, event, utc);
    if (line->failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a line");
    if (fwrite(line->bytes, 1, line->len, stdout) != line->len)
        return ot_err_sys(err, OT_ERR_IO, "cannot write the output");
    return OT_OK;
}

static int print_events(const struct ot_reader_class *class, struct ot_reader *reader,
                        const struct trace_args *args, struct loss *loss, struct ot_err *err)
{
    struct ot_str line = {0};
    struct ot_event event;
    int code = OT_OK;
    uint64_t n_printed = 0;
    while (n_printed < args->limit && (code = class->next(reader, &event, err)) == OT_OK) {
        if (event.kind == OT_EVENT_DISCARDED) {
            loss->n_events += event.n_discarded;
            loss->is_known &= event.n_discarded_known;
            continue;
        }
        code = print_event(&event, args->utc, &line, err);
        if (code < 0)
            break;
        n_printed++;
    }
    ot_str_release(&line);
    return code == OT_END ? OT_OK : code;
}

static int print_trace(const struct ot_inputs *inputs, const struct trace_args *args,
                       struct loss *loss, struct ot_reader_report *report, struct ot_err *err)
{
    const struct ot_reader_class *class;
    struct ot_reader *reader = NULL;
    struct ot_progress progress = {0};
    struct ot_reader_opts opts = {.want_text = true,
                                  .recover = args->recover || inputs->recover,
                                  .in_order = true,
                                  .read_bytes = &progress.read_bytes};
    if (ot_tty_is_beside(STDOUT_FILENO))
        ot_progress_start(&progress, "reading", inputs->paths, inputs->n);
    int code = ot_detect(inputs->paths, inputs->n, &class, err);
    if (code == OT_OK)
        code = class->open(inputs->paths, inputs->n, &opts, &reader, err);
    if (code == OT_OK)
        code = print_events(class, reader, args, loss, err);
    ot_progress_stop(&progress);
    if (!reader)
        return code;
    if (code == OT_OK && class->report)
        class->report(reader, report);
    class->close(reader);
    return code;
}

int ot_cmd_trace(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct trace_args args = {.limit = UINT64_MAX};
    struct loss loss = {.is_known = true};
    struct ot_reader_report report = {0};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code < 0)
        return ot_fail(verb, code, &err);
    if (args.help)
        return ot_print_usage(verb, usage);
    struct ot_inputs inputs = {0};
    code = ot_inputs_resolve_to_open(&inputs, (const char *const *)argv + optind,
                                     (size_t)(argc - optind), &args.from, &err);
    if (code == OT_OK)
        code = print_trace(&inputs, &args, &loss, &report, &err);
    ot_inputs_release(&inputs);
    if (code < 0)
        return ot_fail(verb, code, &err);
    int status = ot_finish_output(verb, OT_EXIT_OK);
    if (loss.n_events)
        ot_complain(verb, "warning: the tracer discarded %s%" PRIu64 " more events",
                    loss.is_known ? "" : "at least ", loss.n_events);
    ot_tell_warnings(verb, &report.warnings);
    return status;
}
