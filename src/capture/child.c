#include "capture/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
enum { N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

void ot_child_signals(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    sigaddset(ret_set, SIGCHLD);
    for (int i = 0; i < N_PASSED_ON; i++)
        sigaddset(ret_set, passed_on[i]);
}

int ot_child_pending_end(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGQUIT);
    int signal = sigtimedwait(&ends, NULL, &(struct timespec){0});
    return signal > 0 ? signal : 0;
}

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for(pid_t pid, const struct ot_child_hooks *hooks)
{
    sigset_t awaited;
    ot_child_signals(&awaited);
    for (;;) {
        int status;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) {
            /* What came with the end, such as the Ctrl-C that ended it, is no new wish. */
            while (ot_child_pending_end() != 0)
                ;
            return exit_status(status);
        }
        siginfo_t info;
        int signal = sigtimedwait(&awaited, &info, &(struct timespec){.tv_nsec = 500000000});
        if (signal < 0)
            hooks->tick(hooks->data);
        /* The terminal's signals (SI_KERNEL) go to the whole foreground group, the command
         * included; and one that the command itself sent us is not sent back. */
        if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL && info.si_pid != pid)
            kill(pid, signal);
    }
}

static void exec_command(char *const *argv, const sigset_t *old_mask,
                         const struct ot_child_hooks *hooks, int report)
{
    hooks->prepare(hooks->data);
    sigprocmask(SIG_SETMASK, old_mask, NULL);
    execvp(argv[0], argv);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof(reason));
    (void)written;
    _exit(reason == ENOENT ? 127 : 126);
}

int ot_child_run(char *const *argv, const sigset_t *old_mask, const struct ot_child_hooks *hooks,
                 int *ret_status, struct ot_err *err)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0)
        return ot_err_sys(err, OT_ERR_IO, "pipe");
    pid_t pid = fork();
    if (pid == 0)
        exec_command(argv, old_mask, hooks, report[1]);
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
    *ret_status = wait_for(pid, hooks);
    if (got == sizeof(reason))
        return ot_err_set(err, OT_ERR_MISSING, "%s: %s", argv[0], strerror(reason));
    return OT_OK;
}
