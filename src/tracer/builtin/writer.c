/* writer.c: the built-in writer: opening and the end. */
#include "tracer/builtin/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/tick_clock.h"
#include "base/tracer_env.h"
#include "tracer/builtin/guard.h"
#include "tracer/builtin/hooks.h"
#include "tracer/builtin/process.h"
#include "tracer/builtin/record.h"
#include "tracer/builtin/region.h"
#include "tracer/builtin/state.h"
#include "tracer/builtin/thread.h"
#include "tracer/inputs.h"
#include "tracer/status.h"

struct ot_builtin ot_builtin;

/* Which clock it will be is asked only where PyTorch comes, since that takes as long as all the
 * rest of the tracer's start. */
void ot_builtin_loaded(void)
{
    enum ot_oplog_clock_kind kind = OT_TICK_CLOCK_HARDWARE;
#ifdef PR_GET_TSC
    int mode = PR_TSC_ENABLE;
    if (prctl(PR_GET_TSC, &mode) == 0 && mode != PR_TSC_ENABLE)
        kind = OT_OPLOG_CLOCK_MONOTONIC;
#endif
    ot_builtin.loaded = ot_tick_clock_moment(kind);
}

static void choose_clock(void)
{
    if (ot_builtin.loaded.ticks == 0)
        ot_builtin_loaded();
    if (ot_builtin.clock == 0)
        ot_builtin.clock = ot_tick_clock_choose();
    if (ot_builtin.clock == OT_OPLOG_CLOCK_MONOTONIC)
        ot_builtin.loaded.ticks = (uint64_t)ot_builtin.loaded.monotonic_ns;
}

/* Only where the kernel does not do it: before Linux 4.14, and in some sandboxes. */
static void wipe_in_child(void)
{
    memset(ot_builtin.process, 0, sizeof(*ot_builtin.process));
    ot_thread_wipe_self();
}

static int prepare(struct ot_err *err)
{
    if (!ot_builtin.process)
        ot_builtin.process = ot_region_new(sizeof(*ot_builtin.process));
    if (!ot_builtin.process || pthread_key_create(&ot_builtin.thread_key, ot_thread_end) != 0)
        return ot_err_set(err, OT_ERR_NOMEM, "no memory for the log");
    if (!ot_region_wipes() && pthread_atfork(NULL, NULL, wipe_in_child) != 0)
        return ot_err_set(err, OT_ERR_NOMEM, "no memory for a fork handler");
    return OT_OK;
}

static int open_writer(const struct ot_torch *torch, struct ot_err *err)
{
    const char *dir = getenv(OT_ENV_LOG_DIR);
    const char *options = getenv(OT_ENV_LOG_OPTIONS);
    int len = dir ? snprintf(ot_builtin.dir, sizeof(ot_builtin.dir), "%s", dir) : 0;
    if (len <= 0 || len >= (int)sizeof(ot_builtin.dir))
        return ot_err_set(err, OT_ERR_USAGE, "%s names no folder", OT_ENV_LOG_DIR);
    choose_clock();
    ot_builtin.torch = *torch;
    ot_builtin.options = options ? strtoull(options, NULL, 16) : 0;
    struct ot_err why;
    if ((ot_builtin.options & OT_OPLOG_SHAPES) && ot_inputs_find(&ot_builtin.torch, &why) < 0) {
        ot_status_line("warning", "%s", why.msg);
        ot_builtin.options &= ~(uint64_t)OT_OPLOG_SHAPES;
    }
    if ((ot_builtin.options & OT_OPLOG_SEQUENCE) && torch->sequence_offset < 0) {
        ot_status_line("warning", "sequence numbers are not available with PyTorch %s",
                       torch->version);
        ot_builtin.options &= ~(uint64_t)OT_OPLOG_SEQUENCE;
    }
    int rc = prepare(err);
    struct ot_guard guard;
    if (rc == OT_OK && ot_guard_enter(&guard)) {
        rc = ot_process_open(ot_builtin.process, err);
        ot_guard_leave(&guard);
    }
    ot_builtin.is_open = rc == OT_OK;
    return rc;
}

/* What liboptally-memory.so calls, if `record` has loaded it too. */
__attribute__((visibility("default"))) void
optally_tracer_memory(int64_t bytes, int64_t total, int device_type, int device_index);
void optally_tracer_memory(int64_t bytes, int64_t total, int device_type, int device_index)
{
    ot_builtin_memory(bytes, total, device_type, device_index);
}

__attribute__((destructor)) static void at_exit(void)
{
    struct ot_guard guard;
    if (ot_builtin.is_open && ot_guard_enter(&guard)) {
        ot_process_close(ot_builtin.process);
        ot_guard_leave(&guard);
    }
}

const struct ot_writer ot_builtin_writer = {
    .abi = OT_WRITER_ABI,
    .open = open_writer,
    .callbacks = ot_builtin_callbacks,
};
