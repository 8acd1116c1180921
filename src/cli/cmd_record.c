/* cmd_record.c: optally record: capture a program, then print its tally. */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/oplog.h"
#include "base/recording.h"
#include "base/tracer_env.h"
#include "capture/child.h"
#include "capture/keeper.h"
#include "capture/marker.h"
#include "capture/outdir.h"
#include "capture/paths.h"
#include "capture/preload.h"
#include "capture/tracer_status.h"
#include "capture/writer.h"
#include "cli/record_options.h"
#include "cli/run_tally.h"
#include "cli/terminal.h"
#include "cli/verb.h"

/* What the functions below pass around; the recording lives as long as the process. */
struct recording {
    const struct ot_record_options *options;
    const struct ot_capture_writer *writer;
    void *state; /* NULL: the program runs untraced */
    struct ot_capture_request request;
    struct ot_outdir out;
    char lib_dir[PATH_MAX];
    struct ot_keeper keeper;
    bool has_stopped_early; /* and the user has been told */
    char tracer[PATH_MAX];
    char module[PATH_MAX];
    char memory[PATH_MAX]; /* what sees allocations; "" not asked for */
    char status_path[PATH_MAX];
};

static int find_libraries(struct recording *rec, struct ot_err *err)
{
    const char *run_dir = rec->keeper.run_dir;
    char module[64];
    int rc = ot_preload_path(rec->tracer, rec->lib_dir, OT_TRACER_LIBRARY, run_dir, err);
    if (rc == OT_OK && rec->options->log_options & OT_OPLOG_MEMORY)
        rc = ot_preload_path(rec->memory, rec->lib_dir, OT_MEMORY_LIBRARY, run_dir, err);
    if (rc == OT_OK && rec->writer->has_module) {
        snprintf(module, sizeof(module), "optally-writer-%s.so", rec->writer->name);
        rc = ot_preload_path(rec->module, rec->lib_dir, module, run_dir, err);
    }
    return rc;
}

static int start_writer(struct recording *rec, const struct ot_signals *signals, struct ot_err *err)
{
    const char *run_dir = rec->keeper.run_dir;
    int rc = find_libraries(rec, err);
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
        .log_options = rec->options->log_options,
        .max_bytes = rec->options->max_bytes,
        .ring = rec->options->ring,
    };
    return rec->writer->start(&rec->request, &rec->state, err);
}

/* Several recordings may begin in one second: the ranks of a job do. */
static int claim_output(struct recording *rec, char *const *command, struct ot_err *err)
{
    const struct ot_record_options *options = rec->options;
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
    rc = ot_keeper_start(&rec->keeper, rec->writer->has_daemon, err);
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
    if (rec->memory[0] != '\0')
        ot_preload_set(rec->memory);
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

/* What the recording counts itself is one thing; a process that could not even say how much it has
 * lost, or of which nothing is there, makes all of it a lower bound. */
static void note_uncounted(const struct recording *rec, const struct ot_capture_losses *losses,
                           const struct ot_tracer_status *status)
{
    if (status->lost > losses->n_processes)
        ot_marker_add(rec->out.work, OT_RECORDING_CUT "%s", status->loss);
    if (status->refused)
        ot_marker_add(rec->out.work, OT_RECORDING_CUT "%s", status->refusal);
}

static void tell_losses(const struct ot_capture_losses *losses,
                        const struct ot_tracer_status *status)
{
    unsigned n = losses->n_processes > status->lost ? losses->n_processes : status->lost;
    if (n == 0)
        return;
    char counted[64] = "";
    const char *reason = losses->n_processes ? losses->reason : status->loss;
    if (losses->n_events)
        snprintf(counted, sizeof(counted), "; %" PRIu64 " %s lost", losses->n_events,
                 losses->n_events == 1 ? "event was" : "events were");
    ot_complain("record", "warning: %u %s stopped recording: %s%s", n,
                n == 1 ? "process" : "processes", reason, counted);
}

/* Takes everything down and puts the folder in its place. False: there is no recording. */
static bool take_down(struct recording *rec, const struct ot_tracer_status *status)
{
    struct ot_err err;
    struct ot_capture_losses losses = {0};
    int rc = rec->writer->stop(rec->state, &losses, &err);
    ot_keeper_end(&rec->keeper);
    if (rc == OT_ERR_INPUT || (rc < 0 && !rec->has_stopped_early))
        ot_complain("record", "%s", err.msg);
    if (rc == OT_ERR_INPUT) {
        ot_outdir_abandon(&rec->out);
        return false;
    }
    if (rc == OT_ERR_IO)
        ot_marker_add(rec->out.work, OT_RECORDING_CUT "%s", err.msg);
    tell_losses(&losses, status);
    note_uncounted(rec, &losses, status);
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
    ot_tty_look(STDERR_FILENO, OT_COLOR_AUTO, &opts.look);
    opts.diag_look = opts.look;
    if (ot_run_tally(&recording, 1, false, &opts, stderr, stderr, NULL, &err) < 0)
        ot_complain("record", "%s", err.msg);
}

static void finish(struct recording *rec, const char *command, const struct ot_signals *signals)
{
    struct ot_err err;
    struct ot_tracer_status status = {0};
    if (ot_tracer_status_read(rec->status_path, &status, &err) < 0)
        ot_complain("record", "%s", err.msg);
    if (!take_down(rec, &status))
        return;
    /* Nothing is standing any more: who does not want the tally may interrupt it. */
    ot_signals_unblock(signals);
    if (!rec->options->no_tally && status.attached > 0)
        show_tally(rec->out.final);
    tell_status(&status, command);
    if (access(rec->out.final, F_OK) == 0)
        ot_complain(NULL, "the trace is in %s", rec->out.final);
    else
        ot_complain("record", "%s was removed while the program ran", rec->out.final);
}

/* For a program that never ran: nothing is kept. */
static void give_up(struct recording *rec)
{
    struct ot_err err;
    struct ot_capture_losses losses = {0};
    if (!rec->state)
        return;
    rec->writer->stop(rec->state, &losses, &err);
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
    struct ot_child_hooks hooks = {
        .prepare = prepare_child,
        .tick = check_writer,
        .tick_ms = rec->options->ring ? OT_CAPTURE_RING_MS : OT_CAPTURE_CHECK_MS,
        .data = rec,
    };
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
    struct ot_record_options options;
    int rc = ot_record_options_parse(&options, argc, argv);
    if (rc >= 0)
        return rc;
    char **command = argv + optind;
    struct recording rec = {.options = &options, .writer = ot_capture_writer_find(options.writer)};
    if (!rec.writer) {
        ot_complain("record", "--writer: there is no writer '%s' (there is: builtin, lttng)",
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
