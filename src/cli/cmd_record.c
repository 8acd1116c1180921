/* cmd_record.c: optally record: capture a program, then print its tally. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tracer_env.h"
#include "capture/child.h"
#include "capture/keeper.h"
#include "capture/outdir.h"
#include "capture/paths.h"
#include "capture/preload.h"
#include "capture/tracer_status.h"
#include "capture/writer.h"
#include "cli/output.h"
#include "cli/run_tally.h"
#include "cli/verb.h"

static const char usage[] =
    "usage: optally record [-o DIR] [--force] [--writer lttng] [--lossy] [--scopes LIST]\n"
    "                      [--no-tally] [--require-trace] [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "  -o, --output DIR    where the recording goes (default: optally-data/DATE-TIME-NAME)\n"
    "      --force         replace the recording that is there\n"
    "      --writer NAME   how events are written: lttng\n"
    "      --lossy         drop events rather than let the program wait for the writer\n"
    "      --scopes LIST   what to record: function,backward,torchscript,user,static_runtime\n"
    "                      (default: all of them)\n"
    "      --no-tally      do not print the tally at the end\n"
    "      --require-trace do not run the program if it cannot be recorded\n"
    "\n"
    "The exit status is the program's.\n";

struct record_options {
    const char *output;
    const char *writer;
    unsigned scopes;
    bool force;
    bool lossy;
    bool no_tally;
    bool require_trace;
};

/* What the functions below pass around; the recording lives as long as the process. */
struct recording {
    const struct record_options *options;
    const struct ot_capture_writer *writer;
    void *state; /* NULL: the program runs untraced */
    struct ot_capture_request request;
    struct ot_outdir out;
    char lib_dir[PATH_MAX];
    struct ot_keeper keeper;
    bool has_stopped_early; /* and the user has been told */
    char tracer[PATH_MAX];
    char module[PATH_MAX];
    char status_path[PATH_MAX];
};

static const struct scope_name {
    const char *name;
    unsigned mask;
} scope_names[] = {
    {"function", 1u << OT_SCOPE_FUNCTION},
    {"backward", 1u << OT_SCOPE_BACKWARD_FUNCTION},
    {"torchscript", 1u << OT_SCOPE_TORCHSCRIPT_FUNCTION},
    {"user", 1u << OT_SCOPE_USER},
    {"static_runtime", 1u << OT_SCOPE_STATIC_RUNTIME_OP | 1u << OT_SCOPE_STATIC_RUNTIME_MODEL},
};

static bool parse_scopes(const char *list, unsigned *ret_mask)
{
    unsigned mask = 0;
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof(scope_names) / sizeof(scope_names[0]); i++) {
            if (strlen(scope_names[i].name) == len && strncmp(scope_names[i].name, at, len) == 0)
                found = scope_names[i].mask;
        }
        if (!found) {
            ot_complain("record",
                        "--scopes: '%.*s' is none of function, backward, torchscript, user, "
                        "static_runtime",
                        (int)len, at);
            return false;
        }
        mask |= found;
        at += len;
        if (*at == '\0')
            break;
    }
    *ret_mask = mask;
    return true;
}

enum option_id { OPT_FORCE = 256, OPT_WRITER, OPT_LOSSY, OPT_SCOPES, OPT_NO_TALLY, OPT_REQUIRE };

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, OPT_FORCE},
    {"writer", required_argument, NULL, OPT_WRITER},
    {"lossy", no_argument, NULL, OPT_LOSSY},
    {"scopes", required_argument, NULL, OPT_SCOPES},
    {"no-tally", no_argument, NULL, OPT_NO_TALLY},
    {"require-trace", no_argument, NULL, OPT_REQUIRE},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct record_options *options)
{
    /* '+': what follows the command belongs to the command. */
    for (int c; (c = getopt_long(argc, argv, "+:o:h", long_options, NULL)) != -1;) {
        switch (c) {
        case 'o':
            options->output = optarg;
            break;
        case OPT_FORCE:
            options->force = true;
            break;
        case OPT_WRITER:
            options->writer = optarg;
            break;
        case OPT_LOSSY:
            options->lossy = true;
            break;
        case OPT_SCOPES:
            if (!parse_scopes(optarg, &options->scopes))
                return OT_EXIT_MISUSED;
            break;
        case OPT_NO_TALLY:
            options->no_tally = true;
            break;
        case OPT_REQUIRE:
            options->require_trace = true;
            break;
        case 'h':
            return ot_print_usage("record", usage);
        case ':':
            ot_complain("record", "%s needs a value", argv[optind - 1]);
            return OT_EXIT_MISUSED;
        default:
            if (optopt > 0 && optopt < OPT_FORCE)
                ot_complain("record", "-%c is no option of record (see optally record --help)",
                            optopt);
            else
                ot_complain("record", "%s is no option of record (see optally record --help)",
                            argv[optind - 1]);
            return OT_EXIT_MISUSED;
        }
    }
    if (optind >= argc) {
        ot_complain("record", "no command to record (optally record -- COMMAND ...)");
        return OT_EXIT_MISUSED;
    }
    return -1;
}

static int start_writer(struct recording *rec, const struct ot_signals *signals, struct ot_err *err)
{
    const char *run_dir = rec->keeper.run_dir;
    char module[64];
    snprintf(module, sizeof(module), "optally-writer-%s.so", rec->writer->name);
    int rc = ot_preload_path(rec->tracer, rec->lib_dir, OT_TRACER_LIBRARY, run_dir, err);
    if (rc == OT_OK)
        rc = ot_preload_path(rec->module, rec->lib_dir, module, run_dir, err);
    if (rc < 0)
        return rc;
    snprintf(rec->status_path, sizeof(rec->status_path), "%.4000s/tracer-status", run_dir);
    rc = ot_tracer_status_create(rec->status_path, err);
    if (rc < 0)
        return rc;
    rec->request = (struct ot_capture_request){
        .out_dir = rec->out.work,
        .run_dir = run_dir,
        .daemon_fd = rec->keeper.daemon_fd,
        .tracer = rec->tracer,
        .module = rec->module,
        .signals = signals,
        .lossy = rec->options->lossy,
    };
    return rec->writer->start(&rec->request, &rec->state, err);
}

/* Several recordings may begin in one second: the ranks of a job do. */
static int claim_output(struct recording *rec, char *const *command, struct ot_err *err)
{
    const struct record_options *options = rec->options;
    const char *writer = rec->writer->name;
    if (options->output)
        return ot_outdir_claim(&rec->out, options->output, options->force, writer, command, err);
    int rc = OT_ERR_INPUT;
    for (int number = 1; rc == OT_ERR_INPUT && number < 10000; number++) {
        char path[PATH_MAX];
        ot_outdir_default(path, command, number);
        rc = ot_outdir_claim(&rec->out, path, false, writer, command, err);
    }
    return rc;
}

static int set_up(struct recording *rec, char *const *command, const struct ot_signals *signals,
                  struct ot_err *err)
{
    int rc = ot_paths_lib_dir(rec->lib_dir, err);
    if (rc == OT_OK)
        rc = claim_output(rec, command, err);
    if (rc < 0)
        return rc;
    rc = ot_keeper_start(&rec->keeper, err);
    if (rc < 0) {
        ot_outdir_abandon(&rec->out);
        return rc;
    }
    rc = start_writer(rec, signals, err);
    if (rc < 0) {
        rec->state = NULL;
        ot_keeper_end(&rec->keeper);
        ot_outdir_abandon(&rec->out);
    }
    return rc;
}

/* Runs in the child, between fork and exec. */
static void prepare_child(void *data)
{
    const struct recording *rec = data;
    if (!rec->state)
        return;
    char mask[16];
    snprintf(mask, sizeof(mask), "%x", rec->options->scopes);
    setenv(OT_ENV_WRITER, rec->writer->name, 1);
    setenv(OT_ENV_STATUS, rec->status_path, 1);
    setenv(OT_ENV_SCOPES, mask, 1);
    rec->writer->child_environment(rec->state);
    ot_preload_set(rec->tracer);
}

/* Runs now and then while the program does. */
static void check_writer(void *data)
{
    struct recording *rec = data;
    struct ot_err err;
    if (!rec->state || rec->writer->check(rec->state, &err) == OT_OK)
        return;
    rec->has_stopped_early = true;
    ot_complain("record", "%s: recording has stopped, the program goes on", err.msg);
}

static void tell_status(const struct ot_tracer_status *status, const char *command)
{
    if (status->warning[0] != '\0')
        ot_complain("record", "warning: %s", status->warning);
    if (status->refused > 0)
        ot_complain("record", "warning: %u %s not traced: %s", status->refused,
                    status->refused == 1 ? "process with PyTorch was"
                                         : "processes with PyTorch were",
                    status->refusal);
    else if (status->attached == 0)
        ot_complain("record", "warning: %s never loaded PyTorch, so there is nothing in the trace",
                    command);
}

/* Takes everything down and puts the folder in its place. False: there is no recording. */
static bool take_down(struct recording *rec)
{
    struct ot_err err;
    int rc = rec->writer->stop(rec->state, &err);
    ot_keeper_end(&rec->keeper);
    if (rc == OT_ERR_INPUT || (rc < 0 && !rec->has_stopped_early))
        ot_complain("record", "%s", err.msg);
    if (rc == OT_ERR_INPUT) {
        ot_outdir_abandon(&rec->out);
        return false;
    }
    if (rc == OT_ERR_IO)
        ot_outdir_note_cut(&rec->out, err.msg);
    if (ot_outdir_keep(&rec->out, &err) == OT_OK)
        return true;
    ot_complain("record", "%s", err.msg);
    return false;
}

static void show_tally(const char *recording)
{
    struct ot_err err;
    struct ot_tally_opts opts;
    ot_tally_opts_init(&opts);
    if (ot_run_tally(&recording, 1, false, &opts, stderr, stderr, NULL, &err) < 0)
        ot_complain("record", "%s", err.msg);
}

static void finish(struct recording *rec, const char *command, const struct ot_signals *signals)
{
    struct ot_err err;
    struct ot_tracer_status status = {0};
    if (ot_tracer_status_read(rec->status_path, &status, &err) < 0)
        ot_complain("record", "%s", err.msg);
    if (!take_down(rec))
        return;
    /* Nothing is standing any more: who does not want the tally may interrupt it. */
    ot_signals_unblock(signals);
    if (!rec->options->no_tally && status.attached > 0)
        show_tally(rec->out.final);
    tell_status(&status, command);
    if (access(rec->out.final, F_OK) == 0)
        fprintf(stderr, "optally: the trace is in %s\n", rec->out.final);
    else
        ot_complain("record", "%s was removed while the program ran", rec->out.final);
}

/* For a program that never ran: nothing is kept. */
static void give_up(struct recording *rec)
{
    struct ot_err err;
    if (!rec->state)
        return;
    rec->writer->stop(rec->state, &err);
    ot_keeper_end(&rec->keeper);
    ot_outdir_abandon(&rec->out);
}

static int run(struct recording *rec, char **command, const struct ot_signals *signals)
{
    struct ot_err err;
    if (set_up(rec, command, signals, &err) < 0 && !ot_signals_end_is_pending(signals)) {
        bool go_on = !rec->options->require_trace;
        ot_complain("record", "%s%s", err.msg,
                    go_on ? "; the program runs without being recorded" : "");
        if (!go_on)
            return OT_EXIT_FAILED;
    }
    int status = OT_EXIT_FAILED;
    int signal = ot_signals_take_end(signals);
    struct ot_child_hooks hooks = {.prepare = prepare_child, .tick = check_writer, .data = rec};
    if (signal) {
        status = 128 + signal;
        give_up(rec);
    } else if (ot_child_run(command, signals, &hooks, &status, &err) < 0) {
        ot_complain("record", "%s", err.msg);
        give_up(rec);
    } else if (rec->state) {
        finish(rec, command[0], signals);
    }
    return status;
}

int ot_cmd_record(int argc, char **argv)
{
    struct record_options options = {.writer = "lttng", .scopes = OT_SCOPES_DEFAULT};
    int rc = parse_options(argc, argv, &options);
    if (rc >= 0)
        return rc;
    char **command = argv + optind;
    struct recording rec = {.options = &options, .writer = ot_capture_writer_find(options.writer)};
    if (!rec.writer) {
        ot_complain("record", "--writer: there is no writer '%s' (there is: lttng)",
                    options.writer);
        return OT_EXIT_MISUSED;
    }
    /* As a shell says it, and before anything is made for a command that is not there. */
    char path[PATH_MAX];
    switch (ot_paths_find_command(command[0], path)) {
    case OT_COMMAND_NOT_FOUND:
        ot_complain("record", "%s: command not found", command[0]);
        return 127;
    case OT_COMMAND_NOT_EXECUTABLE:
        ot_complain("record", "%s: not an executable file", command[0]);
        return 126;
    case OT_COMMAND_FOUND:
        break;
    }
    struct ot_signals signals;
    ot_signals_take(&signals);
    return run(&rec, command, &signals);
}
