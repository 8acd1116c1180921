/* builtin.c: recording through the tracer's own writer, which needs nobody: each process writes a
 * log of its own into the output folder. What is done here is what needs somebody who sees all of
 * them: moments of the clocks, the limit of their size, and what they have lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tracer_env.h"
#include "capture/budget.h"
#include "capture/clock_file.h"
#include "capture/logs.h"
#include "capture/writer.h"

struct builtin_state {
    const struct ot_capture_request *request;
    struct ot_clock_file clock;
    struct ot_budget budget;
};

static int start_builtin(const struct ot_capture_request *request, void **ret_state,
                         struct ot_err *err)
{
    struct builtin_state *state = calloc(1, sizeof(*state));
    if (!state)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory");
    state->request = request;
    int code = ot_clock_file_open(&state->clock, request->out_dir, err);
    if (code == OT_OK && request->max_bytes) {
        code = ot_budget_open(&state->budget, request->out_dir, request->max_bytes, request->ring,
                              err);
        if (code < 0)
            ot_clock_file_close(&state->clock);
    }
    if (code == OT_OK)
        *ret_state = state;
    else
        free(state);
    return code;
}

static void builtin_environment(const void *data)
{
    const struct builtin_state *state = data;
    char options[32];
    snprintf(options, sizeof(options), "%x", state->request->log_options);
    setenv(OT_ENV_LOG_DIR, state->request->out_dir, 1);
    setenv(OT_ENV_LOG_OPTIONS, options, 1);
}

static int check_builtin(void *data, struct ot_err *err)
{
    struct builtin_state *state = data;
    (void)err;
    ot_clock_file_tick(&state->clock);
    ot_budget_make_room(&state->budget);
    return OT_OK;
}

static void add_loss(struct ot_capture_losses *losses, const struct ot_log *log)
{
    uint32_t reason = log->header.stop_reason;
    if (reason == 0)
        return;
    if (losses->n_processes++ == 0)
        snprintf(losses->reason, sizeof(losses->reason), "%s",
                 reason == OT_OPLOG_STOP_SIZE ? "the recording has reached its --max-size"
                                              : strerror((int)reason));
    losses->n_events += log->header.lost_events;
}

static int stop_builtin(void *data, struct ot_capture_losses *ret_losses, struct ot_err *err)
{
    struct builtin_state *state = data;
    struct ot_logs logs;
    if (!state)
        return OT_OK;
    ot_clock_file_close(&state->clock);
    ot_budget_make_room(&state->budget);
    int code = ot_logs_list(&logs, state->request->out_dir, err);
    for (size_t i = 0; code == OT_OK && i < logs.n; i++)
        add_loss(ret_losses, &logs.items[i]);
    ot_logs_release(&logs);
    ot_budget_close(&state->budget);
    free(state);
    /* A folder that the program has removed is told of where it is looked for. */
    return OT_OK;
}

const struct ot_capture_writer ot_capture_builtin = {
    .name = "builtin",
    .start = start_builtin,
    .child_environment = builtin_environment,
    .check = check_builtin,
    .stop = stop_builtin,
};
