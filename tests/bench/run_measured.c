/* run_measured.c: runs a command and writes "NANOSECONDS KIB" as the last line to stderr: how long
 * it took and the most memory it held.
 *
 * A process of its own because Linux counts what the starting process held as the started one's:
 * below an interpreter nothing would seem to need less than that. Exits as the command does. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: run_measured COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    int64_t begin_ns = now_ns();
    pid_t pid;
    int error = posix_spawnp(&pid, argv[1], NULL, NULL, argv + 1, environ);
    if (error) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(error));
        return 127;
    }
    int status = 0;
    struct rusage usage;
    while (wait4(pid, &status, 0, &usage) < 0) {
        if (errno != EINTR)
            return 127;
    }
    int64_t taken_ns = now_ns() - begin_ns;
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "%s: killed by signal %d\n", argv[1], WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status) == 0)
        fprintf(stderr, "%" PRId64 " %ld\n", taken_ns, usage.ru_maxrss);
    return WEXITSTATUS(status);
}
