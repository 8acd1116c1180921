/* daemon.h: a private lttng-sessiond, one per recording.
 *
 * It never meets another one. An ordinary user's daemon lives in its own LTTNG_HOME. Root's has a
 * fixed folder, /run/lttng, so root gets a mount namespace with a /run/lttng of its own, entered by
 * the calling process and inherited by the daemon and the traced program. Where that is not
 * allowed, the fixed folder is used if nobody else does.
 *
 * The caller has blocked SIGCHLD, SIGUSR1, SIGINT and SIGTERM; the calling process has one thread.
 */
#ifndef OT_CAPTURE_DAEMON_H
#define OT_CAPTURE_DAEMON_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct ot_daemon {
    pid_t pid;              /* 0: not running; also the id of its process group */
    char run_dir[PATH_MAX]; /* the keeper's, for sockets and the log */
    bool is_root;
};

/* Isolates the process and starts the daemon, which keeps its files in `run_dir` and inherits
 * `inherited_fd`. `tracer` is the preload library: the daemon gets it too, for its shm_open().
 * OT_ERR_IO or OT_ERR_MISSING; no process is left behind then. */
int ot_daemon_start(struct ot_daemon *daemon, const char *run_dir, const char *tracer,
                    int inherited_fd, struct ot_err *err);

/* For root, outside of a namespace of ours: whether a session daemon of root runs. */
bool ot_daemon_foreign_is_running(void);

/* Whether this process may have a mount namespace; tries it in a child. */
bool ot_daemon_can_isolate(void);

/* Whether the daemon ended, which it does only when somebody else ends it. */
bool ot_daemon_has_ended(struct ot_daemon *daemon);

/* Whether the daemon's log says that events could not be written, and why. */
bool ot_daemon_cannot_write(const struct ot_daemon *daemon, char *ret_reason, size_t size);

/* Ends the daemon and its children at once: what they had not written is lost. For a daemon that
 * may not answer any more; traced programs notice and go on. */
void ot_daemon_kill(struct ot_daemon *daemon);

/* Ends the daemon and its children and waits until they are gone. */
void ot_daemon_stop(struct ot_daemon *daemon);

#endif
