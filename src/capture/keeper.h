/* keeper.h: a process that outlives the recorder and removes what it leaves.
 *
 * It holds the recorder's temporary folder and, for root, the mount point /run/lttng, and waits in
 * a session of its own until the recorder and its session daemon are gone, however they went. So
 * there is one way to clean up, and kill -9 takes it too.
 */
#ifndef OT_CAPTURE_KEEPER_H
#define OT_CAPTURE_KEEPER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Root's session daemon has a fixed folder, set when lttng-tools is built; this is Debian's and
 * upstream's default. */
#define OT_ROOT_RUN_DIR "/run/lttng"

struct ot_keeper {
    pid_t pid;
    char run_dir[PATH_MAX]; /* for sockets and other small files; its path is short */
    int recorder_fd;        /* closed when the recorder ends */
    int daemon_fd;          /* for the daemon to inherit; closed when the last of it ends */
};

/* Makes run_dir and, where root's daemon is to come, its mount point. Called before any mount
 * namespace is entered. OT_ERR_IO: nothing is left behind. */
int ot_keeper_start(struct ot_keeper *keeper, bool has_daemon, struct ot_err *err);

/* Waits until everything is removed; the daemon has to have ended before. */
void ot_keeper_end(struct ot_keeper *keeper);

#endif
