/* child.h: runs the user's command as if we were not there.
 *
 * Its streams, process group, signal mask, dispositions and exit status are its own. Signals sent
 * to us are passed on; those the terminal sends reach it by themselves. Those that were ignored
 * when we started stay ignored by us.
 */
#ifndef OT_CAPTURE_CHILD_H
#define OT_CAPTURE_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

/* What we change of signals, and how it was. */
struct ot_signals {
    sigset_t taken; /* blocked, and read by ot_child_run() */
    sigset_t ends;  /* those of them that ask to end */
    sigset_t old_mask;
    struct sigaction old_chld;
    struct sigaction old_pipe;
};

/* Before anything else is made, so that no signal ends us with something left standing. */
void ot_signals_take(struct ot_signals *signals);

/* As they were, in a child before exec. */
void ot_signals_restore(const struct ot_signals *signals);

/* When nothing is standing any more: a signal may end us again, a closed pipe may not. */
void ot_signals_unblock(const struct ot_signals *signals);

/* Whether a signal that asks to end is pending. */
bool ot_signals_end_is_pending(const struct ot_signals *signals);

/* Takes a pending signal that asks to end and returns its number, or 0. */
int ot_signals_take_end(const struct ot_signals *signals);

struct ot_child_hooks {
    void (*prepare)(void *data); /* in the child, before exec: sets the environment */
    void (*tick)(void *data);    /* in the parent, now and then */
    int tick_ms;                 /* how often */
    void *data;
};

/* Runs argv[0], found as execvp() finds it. *ret_status is the command's exit status, 128 + N when
 * signal N ended it, 127 or 126 when it could not be executed. OT_ERR_IO: no process could be made;
 * OT_ERR_MISSING: it could not be executed. */
int ot_child_run(char *const *argv, const struct ot_signals *signals,
                 const struct ot_child_hooks *hooks, int *ret_status, struct ot_err *err);

#endif
