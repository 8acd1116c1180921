#include "tracer/builtin/guard.h"

#include <errno.h>
#include <pthread.h>

static __thread bool is_taken __attribute__((tls_model("initial-exec")));

bool ot_guard_enter(struct ot_guard *guard)
{
    sigset_t all;
    if (is_taken)
        return false;
    guard->saved_errno = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &guard->mask);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    is_taken = true;
    return true;
}

void ot_guard_leave(const struct ot_guard *guard)
{
    is_taken = false;
    pthread_setcancelstate(guard->cancel_state, NULL);
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
    errno = guard->saved_errno;
}
