#include "mcp/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tick_clock.h"

enum { READ_BYTES = 64 << 10, REAP_MS = 5, EXEC_FAILED = 127 };

/* A file without a name that holds `text`, at its beginning; -1 and errno. */
static int open_text(struct ot_text text)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < text.len;) {
        ssize_t n = write(fd, text.bytes + at, text.len - at);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* In the child. */
static void complain(int fd, const char *why)
{
    static const char what[] = "it cannot be started: ";
    if (write(fd, what, sizeof(what) - 1) > 0 && why)
        (void)!write(fd, why, strlen(why));
}

/* In the child: nothing here but calls that are allowed between fork() and exec. */
static void become(char *const *argv, pid_t parent, const int fds[3])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    if (getppid() == parent && dup2(fds[0], 0) == 0 && dup2(fds[1], 1) == 1 && dup2(fds[2], 2) == 2)
        execv("/proc/self/exe", argv);
    complain(fds[2], strerrordesc_np(errno));
    _exit(EXEC_FAILED);
}

static void close_all(int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

int ot_mcp_child_start(struct ot_mcp_child *child, char *const *argv, struct ot_text input,
                       int64_t timeout_ns, struct ot_err *err)
{
    int outs[2] = {-1, -1};
    int errs[2] = {-1, -1};
    int in = open_text(input);
    pid_t self = getpid();
    pid_t pid = -1;
    if (in >= 0 && pipe2(outs, O_CLOEXEC) == 0 && pipe2(errs, O_CLOEXEC) == 0)
        pid = fork();
    int its_ends[] = {in, outs[1], errs[1]};
    if (pid == 0)
        become(argv, self, its_ends);
    int our_ends[] = {outs[0], errs[0]};
    int code = pid < 0 ? ot_err_sys(err, OT_ERR_IO, "cannot start optally") : OT_OK;
    close_all(its_ends, 3);
    if (code < 0) {
        close_all(our_ends, 2);
        return code;
    }
    setpgid(pid, pid); /* whoever comes first */
    *child = (struct ot_mcp_child){
        .pid = pid,
        .fds = {our_ends[0], our_ends[1]},
        .deadline_ns = ot_tick_clock_ns(CLOCK_MONOTONIC) + timeout_ns,
    };
    return OT_OK;
}

int ot_mcp_child_poll(const struct ot_mcp_child *child, struct pollfd fds[2])
{
    for (int i = 0; i < 2; i++)
        fds[i] = (struct pollfd){.fd = child->fds[i], .events = POLLIN};
    if (child->fds[0] < 0 && child->fds[1] < 0)
        return REAP_MS;
    int64_t left_ms = (child->deadline_ns - ot_tick_clock_ns(CLOCK_MONOTONIC)) / 1000000 + 1;
    return left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : (int)left_ms;
}

/* What is more than may be kept is read and dropped, so that the child is not held up. */
static void take(struct ot_mcp_child *child, int which, size_t max_bytes)
{
    char bytes[READ_BYTES];
    ssize_t n = read(child->fds[which], bytes, sizeof(bytes));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        close(child->fds[which]);
        child->fds[which] = -1;
        return;
    }
    struct ot_str *text = &child->texts[which];
    size_t room = max_bytes - text->len;
    ot_str_add(text, bytes, (size_t)n < room ? (size_t)n : room);
    if (((size_t)n > room || text->failed) && which == 0)
        child->end = OT_MCP_TOO_LARGE;
}

static void end(struct ot_mcp_child *child)
{
    if (child->pid > 0) {
        kill(-child->pid, SIGKILL);
        while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
            ;
    }
    child->pid = 0;
    close_all(child->fds, 2);
}

bool ot_mcp_child_pump(struct ot_mcp_child *child, const struct pollfd fds[2])
{
    static const size_t max_bytes[] = {OT_MCP_OUTPUT_BYTES, OT_MCP_COMPLAINT_BYTES};
    for (int i = 0; i < 2; i++) {
        if (child->fds[i] >= 0 && fds[i].revents)
            take(child, i, max_bytes[i]);
    }
    bool has_said_all = child->fds[0] < 0 && child->fds[1] < 0;
    if (has_said_all && waitpid(child->pid, &child->status, WNOHANG) != 0) {
        child->pid = 0;
        return true;
    }
    if (child->end == OT_MCP_ENDED && ot_tick_clock_ns(CLOCK_MONOTONIC) >= child->deadline_ns)
        child->end = OT_MCP_TIMED_OUT;
    if (child->end == OT_MCP_ENDED)
        return false;
    end(child);
    return true;
}

void ot_mcp_child_release(struct ot_mcp_child *child)
{
    if (child->pid)
        end(child);
    ot_str_release(&child->texts[0]);
    ot_str_release(&child->texts[1]);
    *child = (struct ot_mcp_child){0};
}
