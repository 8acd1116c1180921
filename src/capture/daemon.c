#include "capture/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "base/tracer_env.h"
#include "capture/keeper.h"
#include "capture/paths.h"

enum { START_SECONDS = 20, STOP_SECONDS = 20, KILL_SECONDS = 5 };

bool ot_daemon_foreign_is_running(void)
{
    FILE *file = fopen(OT_ROOT_RUN_DIR "/lttng-sessiond.pid", "re");
    if (!file)
        return false;
    long pid = 0;
    bool running = fscanf(file, "%ld", &pid) == 1 && pid > 0 && kill((pid_t)pid, 0) == 0;
    fclose(file);
    return running;
}

/* What is mounted from here on stays here. In a chroot the root is no mount point, and often /run
 * is. */
static bool stop_propagation(void)
{
    return mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 ||
           (errno == EINVAL && mount("none", "/run", NULL, MS_REC | MS_SLAVE, NULL) == 0);
}

bool ot_daemon_can_isolate(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(unshare(CLONE_NEWNS) == 0 && stop_propagation() &&
                      mount("optally", "/run", "tmpfs", 0, NULL) == 0
                  ? 0
                  : 1);
    int status = 1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    return status == 0;
}

static bool enter_namespace(void)
{
    return unshare(CLONE_NEWNS) == 0 && stop_propagation() &&
           mount("optally", OT_ROOT_RUN_DIR, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") == 0;
}

static int isolate_root(struct ot_err *err)
{
    if (enter_namespace() || !ot_daemon_foreign_is_running())
        return OT_OK;
    return ot_err_set(
        err, OT_ERR_IO,
        "an lttng-sessiond of root runs already, and a mount namespace to stay out of "
        "its way is not allowed here: record as an ordinary user, or give the "
        "container CAP_SYS_ADMIN");
}

static void exec_daemon(const struct ot_daemon *daemon, const char *program, const char *tracer,
                        int inherited_fd)
{
    char log[PATH_MAX + 16];
    snprintf(log, sizeof(log), "%s/sessiond.log", daemon->run_dir);
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    int in = open("/dev/null", O_RDONLY);
    if (out < 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    fcntl(inherited_fd, F_SETFD, 0);
    /* Whatever we inherited, it has to hear SIGTERM. */
    sigset_t none;
    sigemptyset(&none);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* Its own session: Ctrl-C in the terminal is for the program alone. */
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setenv("LTTNG_HOME", daemon->run_dir, 1);
    setenv("LD_PRELOAD", tracer, 1);
    setenv(OT_ENV_LTTNG_WAIT_DIR, daemon->run_dir, 1);
    unsetenv(OT_ENV_STATUS);
    execl(program, "lttng-sessiond", "--no-kernel", "--sig-parent", (char *)NULL);
    _exit(127);
}

static FILE *open_log(const struct ot_daemon *daemon)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof(path), "%s/sessiond.log", daemon->run_dir);
    return fopen(path, "re");
}

/* What it wrote last before it ended; "" when it wrote nothing. */
static void last_words(const struct ot_daemon *daemon, char *ret_line, size_t size)
{
    char line[1024];
    ret_line[0] = '\0';
    FILE *file = open_log(daemon);
    if (!file)
        return;
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            snprintf(ret_line, size, "%.250s", line);
    }
    fclose(file);
}

bool ot_daemon_has_ended(struct ot_daemon *daemon)
{
    if (daemon->pid > 0 && waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid) {
        /* Its group may still have members. */
        kill(-daemon->pid, SIGKILL);
        daemon->pid = 0;
    }
    return daemon->pid == 0;
}

/* The consumer has no other way to tell: "PERROR - ...: Error in write mmap (...): No space left on
 * device (in lttng_consumer_on_read_subbuffer_mmap() at ...)", LTTng 2.13. */
bool ot_daemon_cannot_write(const struct ot_daemon *daemon, char *ret_reason, size_t size)
{
    char line[1024];
    FILE *file = open_log(daemon);
    if (!file)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof(line), file)) {
        const char *at = strstr(line, "Error in write");
        const char *reason = at ? strstr(at, "): ") : NULL;
        if (at) {
            reason = reason ? reason + strlen("): ") : "write error";
            snprintf(ret_reason, size, "%.*s", (int)strcspn(reason, "(\n"), reason);
            size_t len = strlen(ret_reason);
            if (len > 0 && ret_reason[len - 1] == ' ')
                ret_reason[len - 1] = '\0';
            found = true;
        }
    }
    fclose(file);
    return found;
}

/* The daemon says that it is ready with SIGUSR1. */
static int wait_until_ready(struct ot_daemon *daemon, struct ot_err *err)
{
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGUSR1);
    sigaddset(&awaited, SIGCHLD);
    int64_t deadline = ot_tick_clock_ns(CLOCK_MONOTONIC) + START_SECONDS * 1000000000ll;
    while (ot_tick_clock_ns(CLOCK_MONOTONIC) < deadline) {
        siginfo_t info;
        struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
        int signal = sigtimedwait(&awaited, &info, &pause);
        if (signal == SIGUSR1 && info.si_pid == daemon->pid)
            return OT_OK;
        if (waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid) {
            char line[256];
            last_words(daemon, line, sizeof(line));
            daemon->pid = 0;
            return ot_err_set(err, OT_ERR_IO, "lttng-sessiond ended while it started%s%s",
                              line[0] ? ": " : "", line);
        }
    }
    return ot_err_set(err, OT_ERR_IO, "lttng-sessiond was not ready after %d seconds",
                      START_SECONDS);
}

int ot_daemon_start(struct ot_daemon *daemon, const char *run_dir, const char *tracer,
                    int inherited_fd, struct ot_err *err)
{
    char program[PATH_MAX];
    memset(daemon, 0, sizeof(*daemon));
    daemon->is_root = geteuid() == 0;
    if (ot_paths_find_command("lttng-sessiond", program) != OT_COMMAND_FOUND)
        return ot_err_set(err, OT_ERR_MISSING,
                          "lttng-sessiond is not installed (apt-get install lttng-tools)");
    snprintf(daemon->run_dir, sizeof(daemon->run_dir), "%s", run_dir);
    int rc = daemon->is_root ? isolate_root(err) : OT_OK;
    if (rc < 0)
        return rc;
    daemon->pid = fork();
    if (daemon->pid == 0) {
        exec_daemon(daemon, program, tracer, inherited_fd);
    }
    if (daemon->pid < 0) {
        daemon->pid = 0;
        rc = ot_err_sys(err, OT_ERR_IO, "lttng-sessiond");
    } else {
        rc = wait_until_ready(daemon, err);
    }
    if (rc < 0)
        ot_daemon_stop(daemon);
    return rc;
}

/* Also waits for the daemon's own children, which share its process group. */
static bool wait_for_group(pid_t group, int seconds)
{
    int64_t deadline = ot_tick_clock_ns(CLOCK_MONOTONIC) + seconds * 1000000000ll;
    do {
        waitpid(group, NULL, WNOHANG);
        if (kill(-group, 0) < 0 && errno == ESRCH)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
    } while (ot_tick_clock_ns(CLOCK_MONOTONIC) < deadline);
    return false;
}

void ot_daemon_kill(struct ot_daemon *daemon)
{
    if (daemon->pid <= 0)
        return;
    kill(-daemon->pid, SIGKILL);
    wait_for_group(daemon->pid, KILL_SECONDS);
    daemon->pid = 0;
}

void ot_daemon_stop(struct ot_daemon *daemon)
{
    if (daemon->pid > 0) {
        kill(daemon->pid, SIGTERM);
        if (wait_for_group(daemon->pid, STOP_SECONDS))
            daemon->pid = 0;
    }
    ot_daemon_kill(daemon);
}
