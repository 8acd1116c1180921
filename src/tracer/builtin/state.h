/* state.h: what the built-in writer keeps of the process.
 *
 * PyTorch hands the callbacks nothing of ours, so this is static. It is written once, before the
 * first callback, and only read afterwards. Whatever changes later lies behind `process` and in
 * the threads' own memory, all of it in regions that a forked child finds zeroed (region.h): a
 * child begins afresh at its first event, whoever made it and by whatever call, and inherits no
 * lock. The exception are open calls (calls.h). (A child that a signal handler forks, and that
 * returns from the handler into a callback which it has interrupted, is not provided for.)
 *
 * What the writer needs from the system happens with the thread's signals held back (guard.h), and
 * never between two events that need no room: then there is no lock, no call and no allocation.
 */
#ifndef OT_TRACER_BUILTIN_STATE_H
#define OT_TRACER_BUILTIN_STATE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/oplog.h"
#include "tracer/torch.h"

#define OT_HIDDEN __attribute__((visibility("hidden")))

struct ot_process;

struct ot_builtin {
    struct ot_torch torch;
    enum ot_oplog_clock_kind clock;
    uint64_t options; /* enum ot_oplog_options */
    struct ot_oplog_moment loaded;
    char dir[PATH_MAX];
    pthread_key_t thread_key; /* its destructor tells of a thread's end */
    bool is_open;
    struct ot_process *process; /* its content is zero in a forked child */
};

extern struct ot_builtin ot_builtin OT_HIDDEN;

#endif
