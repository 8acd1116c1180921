/* child.h: runs the user's command as if we were not there.
 *
 * Its streams, process group, signal mask and exit status are its own. Signals sent to us are
 * passed on; those the terminal sends reach it by themselves.
 */
#ifndef OT_CAPTURE_CHILD_H
#define OT_CAPTURE_CHILD_H

#include <signal.h>

#include "base/err.h"

/* The signals that ot_child_run() passes on, and SIGCHLD. The caller blocks them before anything
 * else, so that none ends us with something left standing. */
void ot_child_signals(sigset_t *ret_set);

/* A signal of that set that asks to end and is pending, or 0; takes it. */
int ot_child_pending_end(void);

struct ot_child_hooks {
    void (*prepare)(void *data); /* in the child, before exec: sets the environment */
    void (*tick)(void *data);    /* in the parent, about twice a second */
    void *data;
};

/* Runs argv[0], found as execvp() finds it. *ret_status is the command's exit status, 128 + N when
 * signal N ended it, 127 or 126 when it could not be executed. OT_ERR_IO: no process could be
 * made. */
int ot_child_run(char *const *argv, const sigset_t *old_mask, const struct ot_child_hooks *hooks,
                 int *ret_status, struct ot_err *err);

#endif
