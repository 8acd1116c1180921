#include "capture/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/paths.h"

/* How long a daemon may take to end after its recorder was killed. */
enum { DAEMON_MS = 30 * 1000 };

/* The sticky bit means nothing to a folder that only root writes to. It says that one of us made
 * it. (A daemon without a namespace sets the mode anew; then there is one recording at a time.) */
enum { MADE_BY_US = 01755 };

/* Recordings of root share the mount point: each holds a shared lock on it. */
struct mount_point {
    int fd; /* -1: not root's recording */
    bool made;
};

static int claim_mount_point(struct mount_point *mount_point, struct ot_err *err)
{
    for (int tries = 0; tries < 100; tries++) {
        struct stat held;
        struct stat there;
        bool made = mkdir(OT_ROOT_RUN_DIR, 0700) == 0;
        if (made)
            chmod(OT_ROOT_RUN_DIR, MADE_BY_US);
        else if (errno != EEXIST)
            break;
        int fd = open(OT_ROOT_RUN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_SH) == 0 && fstat(fd, &held) == 0 &&
            stat(OT_ROOT_RUN_DIR, &there) == 0 && held.st_ino == there.st_ino) {
            *mount_point = (struct mount_point){.fd = fd, .made = made};
            return OT_OK;
        }
        /* Somebody removed it before the lock was ours. */
        if (fd >= 0)
            close(fd);
    }
    return ot_err_sys(err, OT_ERR_IO, "%s, which root's session daemon needs", OT_ROOT_RUN_DIR);
}

/* The last of us removes what one of us made. */
static void release_mount_point(const struct mount_point *mount_point)
{
    struct stat held;
    if (mount_point->fd < 0)
        return;
    if (flock(mount_point->fd, LOCK_EX | LOCK_NB) == 0 && fstat(mount_point->fd, &held) == 0 &&
        (mount_point->made || (held.st_mode & 07777) == MADE_BY_US))
        rmdir(OT_ROOT_RUN_DIR);
    close(mount_point->fd);
}

/* Streams of the recorder are somebody's pipes: they have to close when it does. */
static void let_go_of_streams(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
}

/* And so are descriptors that it inherited itself. Those that we need are small numbers. */
static void let_go_of_the_rest(const int kept[], size_t n_kept)
{
    for (int fd = 3; fd < 1024; fd++) {
        bool is_kept = false;
        for (size_t i = 0; i < n_kept; i++)
            is_kept |= kept[i] == fd;
        if (!is_kept)
            close(fd);
    }
}

static void await_end(int fd, int timeout_ms)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    while (poll(&end, 1, timeout_ms) < 0 && errno == EINTR)
        ;
}

__attribute__((noreturn)) static void keep(const struct ot_keeper *keeper, int recorder_fd,
                                           int daemon_fd, const struct mount_point *mount_point)
{
    prctl(PR_SET_NAME, "optally-keeper");
    setsid();
    const int kept[] = {recorder_fd, daemon_fd, mount_point->fd};
    let_go_of_streams();
    let_go_of_the_rest(kept, sizeof(kept) / sizeof(kept[0]));
    if (chdir("/") < 0)
        _exit(1);
    await_end(recorder_fd, -1);
    await_end(daemon_fd, DAEMON_MS);
    ot_paths_remove_tree(keeper->run_dir);
    release_mount_point(mount_point);
    _exit(0);
}

static int make_pipes(int recorder[2], int daemon[2], struct ot_err *err)
{
    if (pipe2(recorder, O_CLOEXEC) < 0)
        return ot_err_sys(err, OT_ERR_IO, "pipe");
    if (pipe2(daemon, O_CLOEXEC) < 0) {
        int rc = ot_err_sys(err, OT_ERR_IO, "pipe");
        close(recorder[0]);
        close(recorder[1]);
        return rc;
    }
    return OT_OK;
}

static int fork_keeper(struct ot_keeper *keeper, const struct mount_point *mount_point,
                       struct ot_err *err)
{
    int recorder[2] = {-1, -1};
    int daemon[2] = {-1, -1};
    int rc = make_pipes(recorder, daemon, err);
    if (rc < 0)
        return rc;
    keeper->pid = fork();
    if (keeper->pid == 0) {
        close(recorder[1]);
        close(daemon[1]);
        keep(keeper, recorder[0], daemon[0], mount_point);
    }
    if (keeper->pid < 0)
        rc = ot_err_sys(err, OT_ERR_IO, "fork");
    close(recorder[0]);
    close(daemon[0]);
    keeper->recorder_fd = recorder[1];
    keeper->daemon_fd = daemon[1];
    return rc;
}

int ot_keeper_start(struct ot_keeper *keeper, bool has_daemon, struct ot_err *err)
{
    memset(keeper, 0, sizeof(*keeper));
    struct mount_point mount_point = {.fd = -1};
    int rc = ot_paths_make_run_dir(keeper->run_dir, err);
    if (rc < 0)
        return rc;
    if (geteuid() == 0) {
        /* Its programs may become somebody else, who then has to find the files in it. */
        chmod(keeper->run_dir, 0711);
        if (has_daemon)
            rc = claim_mount_point(&mount_point, err);
    }
    if (rc == OT_OK)
        rc = fork_keeper(keeper, &mount_point, err);
    if (rc < 0) {
        ot_paths_remove_tree(keeper->run_dir);
        release_mount_point(&mount_point);
    } else if (mount_point.fd >= 0) {
        close(mount_point.fd);
    }
    return rc;
}

void ot_keeper_end(struct ot_keeper *keeper)
{
    close(keeper->recorder_fd);
    close(keeper->daemon_fd);
    waitpid(keeper->pid, NULL, 0);
}
