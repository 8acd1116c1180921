/* lttng.c: recording through LTTng-UST: a private session daemon, one session, one channel. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/tracer_env.h"
#include "capture/ctf_trim.h"
#include "capture/daemon.h"
#include "capture/job.h"
#include "capture/lttng_api.h"
#include "capture/writer.h"

#define SESSION "optally"
#define CHANNEL "pytorch"

/* How long an operator may wait for room in the buffers. It is not for ever: a consumer that cannot
 * write any more (disk full) would hang the program. What is given up after that is counted in the
 * trace. */
static const int64_t blocking_timeout_us = 10 * 1000 * 1000;

/* Limits of the conversation with the daemon, and the rhythm of its metadata. */
enum { START_MS = 30 * 1000, IMPATIENT_MS = 1000 };
enum { METADATA_FLUSH_US = 25 * 1000, METADATA_WAIT_US = 5000 * 1000 };

struct lttng_state {
    const struct ot_capture_request *request;
    struct ot_daemon daemon;
    struct ot_lttng_api api;
    bool has_given_up; /* the daemon was killed because it could not write */
    char reason[256];  /* why */
};

/* Ring buffers are per CPU, in shared memory: as much as is comfortable for the program, and no
 * more than half of what a small /dev/shm has (64 MB in a default container). */
enum { SUBBUFFERS = 4, SUBBUFFER_MIN = 64 << 10, SUBBUFFER_MAX = 1 << 20 };
static const unsigned long long buffers_max = 256ull << 20;

static uint64_t subbuffer_bytes(void)
{
    unsigned long long room = buffers_max;
    struct statvfs shm;
    if (statvfs("/dev/shm", &shm) == 0) {
        unsigned long long half = (unsigned long long)shm.f_bavail * shm.f_frsize / 2;
        if (half < room)
            room = half;
    }
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    uint64_t size = SUBBUFFER_MAX;
    while (size > SUBBUFFER_MIN && size * SUBBUFFERS * (uint64_t)(cpus > 0 ? cpus : 1) > room)
        size /= 2;
    return size;
}

static int refused(const struct lttng_state *state, int code, const char *what, struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_IO, "LTTng does not %s: %s", what,
                      state->api.lttng_strerror(code));
}

struct channel_plan {
    const char *name;
    uint64_t subbuffer_bytes;
    uint64_t subbuffers;
    unsigned flush_us;   /* 0: when a sub-buffer is full */
    int64_t blocking_us; /* 0: an event that finds no room is discarded */
};

static int add_contexts(struct lttng_state *state, struct lttng_handle *handle, struct ot_err *err)
{
    static const enum lttng_event_context_type contexts[] = {LTTNG_EVENT_CONTEXT_VPID,
                                                             LTTNG_EVENT_CONTEXT_VTID};
    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
        struct lttng_event_context context = {.ctx = contexts[i]};
        int rc = state->api.lttng_add_context(handle, &context, NULL, CHANNEL);
        if (rc < 0)
            return refused(state, rc, "add the process and thread to events", err);
    }
    return OT_OK;
}

static int enable_channel(struct lttng_state *state, struct lttng_handle *handle,
                          const struct channel_plan *plan, struct ot_err *err)
{
    struct lttng_channel *channel = state->api.lttng_channel_create(&handle->domain);
    if (!channel)
        return ot_err_set(err, OT_ERR_NOMEM, "no memory for an LTTng channel");
    snprintf(channel->name, sizeof(channel->name), "%s", plan->name);
    channel->attr.overwrite = 0;
    channel->attr.subbuf_size = plan->subbuffer_bytes;
    channel->attr.num_subbuf = plan->subbuffers;
    channel->attr.switch_timer_interval = plan->flush_us;
    int rc = 0;
    if (plan->blocking_us != 0)
        rc = state->api.lttng_channel_set_blocking_timeout(channel, plan->blocking_us);
    if (rc >= 0)
        rc = state->api.lttng_enable_channel(handle, channel);
    state->api.lttng_channel_destroy(channel);
    return rc < 0 ? refused(state, rc, "make a channel", err) : OT_OK;
}

static int enable_channels(struct lttng_state *state, struct lttng_handle *handle, bool lossy,
                           struct ot_err *err)
{
    /* LTTng keeps the metadata in memory until the end unless its channel has a timer; without it
     * nothing of a recording can be read after a full disk or a crash. The sizes are LTTng's. */
    const struct channel_plan plans[] = {
        {.name = "metadata",
         .subbuffer_bytes = 4096,
         .subbuffers = 2,
         .flush_us = METADATA_FLUSH_US},
        {.name = CHANNEL,
         .subbuffer_bytes = subbuffer_bytes(),
         .subbuffers = SUBBUFFERS,
         .blocking_us = lossy ? 0 : blocking_timeout_us},
    };
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        int rc = enable_channel(state, handle, &plans[i], err);
        if (rc < 0)
            return rc;
    }
    return OT_OK;
}

static int set_up_channels(struct lttng_state *state, struct lttng_handle *handle, bool lossy,
                           struct ot_err *err)
{
    int rc = enable_channels(state, handle, lossy, err);
    if (rc == OT_OK)
        rc = add_contexts(state, handle, err);
    if (rc < 0)
        return rc;
    struct lttng_event event = {.type = LTTNG_EVENT_TRACEPOINT, .loglevel = -1};
    event.loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
    snprintf(event.name, sizeof(event.name), "lttng_ust_pytorch:*");
    rc = state->api.lttng_enable_event(handle, &event, CHANNEL);
    return rc < 0 ? refused(state, rc, "enable events", err) : OT_OK;
}

static int set_up_session(struct lttng_state *state, const struct ot_capture_request *request,
                          struct ot_err *err)
{
    char url[PATH_MAX + 16];
    snprintf(url, sizeof(url), "file://%s", request->out_dir);
    int rc = state->api.lttng_create_session(SESSION, url);
    if (rc < 0)
        return refused(state, rc, "create a session", err);

    struct lttng_domain domain = {.type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID};
    struct lttng_handle *handle = state->api.lttng_create_handle(SESSION, &domain);
    if (!handle)
        return ot_err_set(err, OT_ERR_NOMEM, "no memory for an LTTng handle");
    rc = set_up_channels(state, handle, request->lossy, err);
    state->api.lttng_destroy_handle(handle);
    if (rc < 0)
        return rc;
    rc = state->api.lttng_start_tracing(SESSION);
    return rc < 0 ? refused(state, rc, "start", err) : OT_OK;
}

/* liblttng-ctl and LTTng-UST look for an ordinary user's daemon in $LTTNG_HOME. */
static void point_at_daemon(const struct lttng_state *state)
{
    if (!state->daemon.is_root)
        setenv("LTTNG_HOME", state->daemon.run_dir, 1);
}

static void lttng_environment(const void *data)
{
    const struct lttng_state *state = data;
    point_at_daemon(state);
    setenv(OT_ENV_LTTNG_WAIT_DIR, state->daemon.run_dir, 1);
    setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);
    /* A busy machine may need more than the default of 3 seconds until a process is known; what it
     * did before would be missing without a trace. */
    setenv("LTTNG_UST_REGISTER_TIMEOUT", "30000", 0);
}

/* Jobs: each runs in a child and ends with its environment. */

static int set_up(void *data, struct ot_err *err)
{
    struct lttng_state *state = data;
    point_at_daemon(state);
    /* A member of the tracing group would be sent to root's daemon first. */
    state->api.lttng_set_tracing_group("");
    return set_up_session(state, state->request, err);
}

/* Until a process with the provider registers, LTTng writes nothing at all, not even the metadata
 * that makes a folder a trace. So one is started first that does nothing else. */
static int register_provider(void *data, struct ot_err *err)
{
    const struct lttng_state *state = data;
    char preload[2 * PATH_MAX];
    int null = open("/dev/null", O_RDWR);
    if (null >= 0)
        dup2(null, 1);
    snprintf(preload, sizeof(preload), "%s:%s", state->request->tracer, state->request->module);
    lttng_environment(state);
    setenv("LD_PRELOAD", preload, 1);
    unsetenv(OT_ENV_STATUS);
    execl("/proc/self/exe", "optally", "--version", (char *)NULL);
    return ot_err_sys(err, OT_ERR_IO, "/proc/self/exe");
}

/* The calls that wait look for pending data five times a second; this looks more often. */
static int end_session(void *data, struct ot_err *err)
{
    const struct lttng_state *state = data;
    point_at_daemon(state);
    state->api.lttng_set_tracing_group("");
    int code = state->api.lttng_stop_tracing_no_wait(SESSION);
    while (code >= 0 && (code = state->api.lttng_data_pending(SESSION)) > 0)
        nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
    if (code >= 0)
        code = state->api.lttng_destroy_session_no_wait(SESSION);
    return code < 0 ? refused(state, code, "end the session", err) : OT_OK;
}

static bool is_hopeless_to_start(void *data, int elapsed_ms)
{
    struct lttng_state *state = data;
    return elapsed_ms > START_MS || ot_signals_end_is_pending(state->request->signals) ||
           ot_daemon_has_ended(&state->daemon);
}

static void give_up(struct lttng_state *state, const char *reason)
{
    snprintf(state->reason, sizeof(state->reason), "%s", reason);
    state->has_given_up = true;
    ot_daemon_kill(&state->daemon);
}

/* A consumer that cannot write does not answer the daemon either, and the daemon not us. */
static bool give_up_if_stuck(struct lttng_state *state)
{
    char reason[sizeof(state->reason)];
    if (ot_daemon_cannot_write(&state->daemon, reason, sizeof(reason)))
        give_up(state, reason);
    else if (ot_daemon_has_ended(&state->daemon))
        give_up(state, "the session daemon was ended by somebody else");
    return state->has_given_up;
}

/* However long the disk takes; but whoever asks again for the end does not want to wait. What
 * comes right after the first time (systemd sends SIGTERM and SIGHUP) is no second. */
static bool is_hopeless_to_end(void *data, int elapsed_ms)
{
    struct lttng_state *state = data;
    if (elapsed_ms < IMPATIENT_MS)
        ot_signals_take_end(state->request->signals);
    else if (ot_signals_end_is_pending(state->request->signals))
        give_up(state, "interrupted while it was written");
    return state->has_given_up || (elapsed_ms % 100 == 98 && give_up_if_stuck(state));
}

/* The disk may be full before the program is a second old, and without metadata nothing can be
 * read. */
static bool await_metadata(const char *out_dir)
{
    char path[PATH_MAX + 64];
    struct stat metadata = {.st_size = 0};
    snprintf(path, sizeof(path), "%s/ust/uid/%u/%zu-bit/metadata", out_dir, getuid(),
             8 * sizeof(long));
    for (int waited_us = 0; waited_us < METADATA_WAIT_US; waited_us += METADATA_FLUSH_US) {
        off_t before = metadata.st_size;
        /* All of it is there once a flush has added nothing. */
        if (stat(path, &metadata) == 0 && metadata.st_size > 0 && metadata.st_size == before)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = METADATA_FLUSH_US * 1000}, NULL);
    }
    return false;
}

static int start_session(struct lttng_state *state, struct ot_err *err)
{
    int rc = ot_daemon_start(&state->daemon, state->request->run_dir, state->request->tracer,
                             state->request->daemon_fd, err);
    if (rc < 0)
        return rc;
    struct ot_job job = {.run = set_up, .is_hopeless = is_hopeless_to_start, .data = state};
    rc = ot_job_run(&job, err);
    if (rc == OT_OK) {
        job.run = register_provider;
        rc = ot_job_run(&job, err);
    }
    if (rc == OT_OK && !await_metadata(state->request->out_dir))
        rc = ot_err_set(err, OT_ERR_IO, "LTTng writes nothing (optally doctor may know why)");
    if (rc == OT_OK)
        return OT_OK;
    if (rc == OT_END)
        rc = ot_err_set(err, OT_ERR_IO, "lttng-sessiond does not answer");
    ot_daemon_kill(&state->daemon);
    return rc;
}

static int start_lttng(const struct ot_capture_request *request, void **ret_state,
                       struct ot_err *err)
{
    struct lttng_state *state = calloc(1, sizeof(*state));
    if (!state)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory");
    state->request = request;
    int rc = ot_lttng_api_open(&state->api, err);
    if (rc == OT_OK)
        rc = start_session(state, err);
    if (rc == OT_OK)
        *ret_state = state;
    else
        free(state);
    return rc;
}

static int check_lttng(void *data, struct ot_err *err)
{
    struct lttng_state *state = data;
    if (state->has_given_up || !give_up_if_stuck(state))
        return OT_OK;
    return ot_err_set(err, OT_ERR_IO, "%s: %s", state->request->out_dir, state->reason);
}

static int stop_lttng(void *data, struct ot_capture_losses *ret_losses, struct ot_err *err)
{
    struct lttng_state *state = data;
    (void)ret_losses; /* the trace says by itself what its buffers have lost */
    if (!state)
        return OT_OK;
    int rc = OT_OK;
    const struct ot_job job = {
        .run = end_session, .is_hopeless = is_hopeless_to_end, .data = state};
    if (!state->has_given_up)
        rc = ot_job_run(&job, err);
    if (!state->has_given_up)
        give_up_if_stuck(state);
    ot_daemon_stop(&state->daemon);
    if (state->has_given_up) {
        uint64_t cut_bytes;
        rc = ot_ctf_trim(state->request->out_dir, &cut_bytes, err);
        if (rc == OT_OK)
            rc = ot_err_set(err, OT_ERR_IO, "%s: %s: the trace ends before the program did",
                            state->request->out_dir, state->reason);
    }
    free(state);
    return rc;
}

const struct ot_capture_writer ot_capture_lttng = {
    .name = "lttng",
    .has_module = true,
    .has_daemon = true,
    .start = start_lttng,
    .child_environment = lttng_environment,
    .check = check_lttng,
    .stop = stop_lttng,
};
