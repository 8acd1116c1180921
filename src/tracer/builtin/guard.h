/* guard.h: around everything for which the writer needs more than its own memory.
 *
 * Between ot_guard_enter() and ot_guard_leave() no signal handler runs on this thread, it is not
 * cancelled, and errno is what it was afterwards. An operator that runs there all the same (another
 * preloaded library's open() might run one) finds the guard taken and is counted as lost.
 */
#ifndef OT_TRACER_BUILTIN_GUARD_H
#define OT_TRACER_BUILTIN_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct ot_guard {
    sigset_t mask;
    int cancel_state;
    int saved_errno;
};

/* False: this thread is inside already, and there is nothing to leave. */
bool ot_guard_enter(struct ot_guard *guard);
void ot_guard_leave(const struct ot_guard *guard);

#endif
