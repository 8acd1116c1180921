/* apart.h: work in a process of its own, so that what it leaves can be removed however it ends.
 *
 * A signal that asks to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT) ends the work wherever it is, in a
 * read that waits or in a library, and this process lives on to clean up. So it does when the work
 * dies of anything else. One thread.
 */
#ifndef OT_CLI_APART_H
#define OT_CLI_APART_H

#include <signal.h>

#include "base/err.h"

struct ot_apart {
    sigset_t awaited;
    sigset_t before;
};

/* From here on signals that ask to end do not end this process any more; the caller ends it soon.
 * Before there is anything to clean up. Signals that are ignored stay ignored. */
void ot_apart_begin(struct ot_apart *apart);

/* Forks; the work's return value is its process's exit status, and goes to `ret_status`. OT_ERR_IO:
 * it could not be started, or a signal has ended it, which `err` says; then `ret_status` is the one
 * that this process should end with. */
int ot_apart_run(const struct ot_apart *apart, int (*work)(void *context), void *context,
                 int *ret_status, struct ot_err *err);

#endif
