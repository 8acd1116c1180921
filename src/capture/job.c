#include "capture/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct result {
    int code;
    struct ot_err err;
};

enum { TICK_MS = 2 };

static void run_in_child(const struct ot_job *job, int report)
{
    struct result result = {.code = OT_OK};
    result.code = job->run(job->data, &result.err);
    ssize_t written = write(report, &result, sizeof(result));
    (void)written;
    _exit(0);
}

/* False: abandoned. */
static bool await(const struct ot_job *job, pid_t pid, int *ret_status)
{
    for (int elapsed_ms = 0; waitpid(pid, ret_status, WNOHANG) == 0; elapsed_ms += TICK_MS) {
        if (job->is_hopeless(job->data, elapsed_ms)) {
            kill(pid, SIGKILL);
            waitpid(pid, ret_status, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000}, NULL);
    }
    return true;
}

int ot_job_run(const struct ot_job *job, struct ot_err *err)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0)
        return ot_err_sys(err, OT_ERR_IO, "pipe");
    pid_t pid = fork();
    if (pid == 0)
        run_in_child(job, report[1]);
    int fork_errno = errno;
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        errno = fork_errno;
        return ot_err_sys(err, OT_ERR_IO, "fork");
    }
    int status = 1;
    int code = OT_END;
    if (await(job, pid, &status)) {
        struct result result;
        ssize_t got = read(report[0], &result, sizeof(result));
        if (got == sizeof(result)) {
            code = result.code;
            *err = result.err;
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            code = OT_OK;
        } else {
            code = ot_err_set(err, OT_ERR_IO, "a helper process ended with status %d", status);
        }
    }
    close(report[0]);
    return code;
}
