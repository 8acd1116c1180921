#include "capture/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
    int number;
    bool asks_to_end;
} passed_on[] = {{SIGINT, true},   {SIGTERM, true},  {SIGHUP, true},  {SIGQUIT, true},
                 {SIGUSR1, false}, {SIGUSR2, false}, {SIGALRM, false}};
enum { N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

void ot_signals_take(struct ot_signals *signals)
{
    sigemptyset(&signals->taken);
    sigemptyset(&signals->ends);
    sigaddset(&signals->taken, SIGCHLD);
    for (int i = 0; i < N_PASSED_ON; i++) {
        /* One that is ignored (nohup) comes all the same once it is blocked. The command may have
         * a handler for it, but it is no wish of ours to end. */
        struct sigaction action;
        bool is_ignored =
            sigaction(passed_on[i].number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
        sigaddset(&signals->taken, passed_on[i].number);
        if (passed_on[i].asks_to_end && !is_ignored)
            sigaddset(&signals->ends, passed_on[i].number);
    }
    sigprocmask(SIG_BLOCK, &signals->taken, &signals->old_mask);
    /* With SIGCHLD ignored nobody can be waited for; without SIGPIPE a message to a closed pipe
     * does not cost the recording. */
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGCHLD, &by_default, &signals->old_chld);
    sigaction(SIGPIPE, &ignored, &signals->old_pipe);
}

void ot_signals_restore(const struct ot_signals *signals)
{
    sigaction(SIGCHLD, &signals->old_chld, NULL);
    sigaction(SIGPIPE, &signals->old_pipe, NULL);
    sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void ot_signals_unblock(const struct ot_signals *signals)
{
    sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

bool ot_signals_end_is_pending(const struct ot_signals *signals)
{
    sigset_t pending;
    sigpending(&pending);
    for (int i = 0; i < N_PASSED_ON; i++) {
        if (sigismember(&signals->ends, passed_on[i].number) == 1 &&
            sigismember(&pending, passed_on[i].number) == 1)
            return true;
    }
    return false;
}

int ot_signals_take_end(const struct ot_signals *signals)
{
    int signal = sigtimedwait(&signals->ends, NULL, &(struct timespec){0});
    return signal > 0 ? signal : 0;
}

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for(pid_t pid, const struct ot_signals *signals, const struct ot_child_hooks *hooks)
{
    const struct timespec tick = {.tv_sec = hooks->tick_ms / 1000,
                                  .tv_nsec = hooks->tick_ms % 1000 * 1000000L};
    for (;;) {
        int status;
        if (waitpid(pid, &status, WNOHANG) == pid) {
            /* What came with the end, such as the Ctrl-C that ended it, is no new wish. */
            while (ot_signals_take_end(signals) != 0)
                ;
            return exit_status(status);
        }
        siginfo_t info;
        int signal = sigtimedwait(&signals->taken, &info, &tick);
        if (signal < 0)
            hooks->tick(hooks->data);
        /* The terminal's signals (SI_KERNEL) go to the whole foreground group, the command
         * included; and one that the command itself sent us is not sent back. */
        if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL && info.si_pid != pid)
            kill(pid, signal);
    }
}

static void exec_command(char *const *argv, const struct ot_signals *signals,
                         const struct ot_child_hooks *hooks, int report)
{
    hooks->prepare(hooks->data);
    ot_signals_restore(signals);
    execvp(argv[0], argv);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof(reason));
    (void)written;
    _exit(reason == ENOENT ? 127 : 126);
}

int ot_child_run(char *const *argv, const struct ot_signals *signals,
                 const struct ot_child_hooks *hooks, int *ret_status, struct ot_err *err)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0)
        return ot_err_sys(err, OT_ERR_IO, "pipe");
    pid_t pid = fork();
    if (pid == 0)
        exec_command(argv, signals, hooks, report[1]);
    int fork_errno = errno;
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        errno = fork_errno;
        return ot_err_sys(err, OT_ERR_IO, "fork");
    }
    int reason = 0;
    ssize_t got;
    do {
        got = read(report[0], &reason, sizeof(reason));
    } while (got < 0 && errno == EINTR);
    close(report[0]);
    *ret_status = wait_for(pid, signals, hooks);
    if (got == sizeof(reason))
        return ot_err_set(err, OT_ERR_MISSING, "%s: %s", argv[0], strerror(reason));
    return OT_OK;
}
