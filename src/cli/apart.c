#include "cli/apart.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/verb.h"

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_ENDING_SIGNALS = sizeof(ending_signals) / sizeof(ending_signals[0]) };

static bool asks_to_end(int signal)
{
    for (size_t i = 0; i < N_ENDING_SIGNALS; i++) {
        if (ending_signals[i] == signal)
            return true;
    }
    return false;
}

void ot_apart_begin(struct ot_apart *apart)
{
    struct sigaction action;
    sigemptyset(&apart->awaited);
    for (size_t i = 0; i < N_ENDING_SIGNALS; i++) {
        if (sigaction(ending_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&apart->awaited, ending_signals[i]);
    }
    /* Whoever ignores it never hears how a child has ended. */
    signal(SIGCHLD, SIG_DFL);
    sigaddset(&apart->awaited, SIGCHLD);
    sigprocmask(SIG_BLOCK, &apart->awaited, &apart->before);
}

/* Does not outlive whoever cleans up behind it. */
static void be_the_work(const struct ot_apart *apart, pid_t parent, int (*work)(void *context),
                        void *context)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(OT_EXIT_FAILED);
    sigprocmask(SIG_SETMASK, &apart->before, NULL);
    exit(work(context));
}

/* Passes signals on, and returns what waitpid() says. */
static int await(const struct ot_apart *apart, pid_t child)
{
    int status = 0;
    int number = 0;
    while (true) {
        if (sigwait(&apart->awaited, &number) == 0 && number != SIGCHLD)
            kill(child, number);
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
    }
}

int ot_apart_run(const struct ot_apart *apart, int (*work)(void *context), void *context,
                 int *ret_status, struct ot_err *err)
{
    pid_t self = getpid();
    fflush(NULL);
    pid_t child = fork();
    *ret_status = OT_EXIT_FAILED;
    if (child < 0)
        return ot_err_sys(err, OT_ERR_IO, "cannot start a process");
    if (child == 0)
        be_the_work(apart, self, work, context);
    int status = await(apart, child);
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (WIFEXITED(status))
        return OT_OK;
    if (asks_to_end(WTERMSIG(status)))
        return ot_err_set(err, OT_ERR_IO, "interrupted");
    return ot_err_set(err, OT_ERR_IO, "ended by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
}
