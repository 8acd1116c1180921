#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".new-XXXXXX"

/* A link is followed, so that it stays one. */
static int find_target(struct ot_outfile *file, bool is_there, struct ot_err *err)
{
    char copy[PATH_MAX];
    if (is_there) {
        if (!realpath(file->name, file->target))
            return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
        memcpy(copy, file->target, sizeof(copy));
        stpcpy(file->folder, dirname(copy));
    } else {
        snprintf(copy, sizeof(copy), "%s", file->name);
        if (!realpath(dirname(copy), file->folder))
            return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
        snprintf(copy, sizeof(copy), "%s", file->name);
        const char *slash = strcmp(file->folder, "/") == 0 ? "" : "/";
        int len = snprintf(file->target, PATH_MAX, "%s%s%s", file->folder, slash, basename(copy));
        if (len >= PATH_MAX)
            return ot_err_set(err, OT_ERR_IO, "%s: the path is too long", file->name);
    }
    return OT_OK;
}

static int refuse_inputs(const char *name, const struct stat *status, const char *const *inputs,
                         size_t n_inputs, struct ot_err *err)
{
    struct stat input;
    for (size_t i = 0; i < n_inputs; i++) {
        if (stat(inputs[i], &input) == 0 && input.st_dev == status->st_dev &&
            input.st_ino == status->st_ino)
            return ot_err_set(err, OT_ERR_INPUT, "%s is an input: write to another file", name);
    }
    return OT_OK;
}

/* Without a name if that can be had: then a kill leaves nothing. */
static int open_beside(struct ot_outfile *file, int *ret_fd, struct ot_err *err)
{
    int fd = open(file->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0) {
        stpcpy(stpcpy(file->work, file->target), SUFFIX);
        fd = mkostemp(file->work, O_CLOEXEC);
    }
    if (fd < 0) {
        file->work[0] = '\0';
        return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
    }
    if (file->work[0] != '\0' || file->mode != 0)
        fchmod(fd, file->mode);
    *ret_fd = fd;
    return OT_OK;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_fd(struct ot_outfile *file, const char *const *inputs, size_t n_inputs, int *ret_fd,
                   struct ot_err *err)
{
    const char *name = file->name;
    struct stat status;
    if (strcmp(name, "-") == 0) {
        *ret_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return *ret_fd < 0 ? ot_err_sys(err, OT_ERR_IO, "standard output") : OT_OK;
    }
    if (name[0] == '\0' || strlen(name) >= PATH_MAX)
        return ot_err_set(err, OT_ERR_INPUT, "'%s' cannot be the name of a file", name);
    bool is_there = stat(name, &status) == 0;
    if ((!is_there && errno != ENOENT) || (!is_there && lstat(name, &status) == 0))
        return ot_err_sys(err, OT_ERR_IO, "%s", name);
    if ((is_there && S_ISDIR(status.st_mode)) || name[strlen(name) - 1] == '/')
        return ot_err_set(err, OT_ERR_INPUT, "%s is a folder: name a file in it", name);
    int code = is_there ? refuse_inputs(name, &status, inputs, n_inputs, err) : OT_OK;
    if (code < 0)
        return code;
    if (is_there && !S_ISREG(status.st_mode)) {
        *ret_fd = open(name, O_WRONLY | O_CLOEXEC);
        return *ret_fd < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", name) : OT_OK;
    }
    file->mode = is_there ? status.st_mode & 07777 : usual_mode();
    code = find_target(file, is_there, err);
    return code == OT_OK ? open_beside(file, ret_fd, err) : code;
}

int ot_outfile_open(struct ot_outfile *file, const char *name, const char *const *inputs,
                    size_t n_inputs, struct ot_err *err)
{
    *file = (struct ot_outfile){.name = name};
    int fd = -1;
    int code = open_fd(file, inputs, n_inputs, &fd, err);
    if (code < 0)
        return code;
    file->out = fdopen(fd, "w");
    if (file->out)
        return OT_OK;
    close(fd);
    ot_outfile_abandon(file);
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for %s", name);
}

/* Only a file that has a name can be renamed into the place of another. */
static int give_name(struct ot_outfile *file, int fd, struct ot_err *err)
{
    char self[64];
    char name[PATH_MAX + OT_OUTFILE_SUFFIX_BYTES];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    for (int tries = 0; tries < 100; tries++) {
        snprintf(name, sizeof(name), "%s.new-%d-%d", file->target, (int)getpid(), tries);
        if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            stpcpy(file->work, name);
            return OT_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
}

static int close_out(struct ot_outfile *file, struct ot_err *err)
{
    errno = 0;
    bool failed = ferror(file->out) != 0;
    failed |= fclose(file->out) != 0;
    file->out = NULL;
    errno = errno ? errno : EIO;
    return failed ? ot_err_sys(err, OT_ERR_IO, "%s: cannot write the output", file->name) : OT_OK;
}

static int put_in_place(struct ot_outfile *file, off_t *ret_bytes, struct ot_err *err)
{
    struct stat status;
    errno = 0;
    int code = OT_OK;
    if (fflush(file->out) != 0 || ferror(file->out)) {
        errno = errno ? errno : EIO;
        code = ot_err_sys(err, OT_ERR_IO, "%s: cannot write the output", file->name);
    }
    if (code == OT_OK && fstat(fileno(file->out), &status) == 0 && S_ISREG(status.st_mode))
        *ret_bytes = status.st_size;
    if (code == OT_OK && file->target[0] != '\0' && file->work[0] == '\0')
        code = give_name(file, fileno(file->out), err);
    if (code == OT_OK)
        code = close_out(file, err);
    if (code == OT_OK && file->target[0] != '\0' && rename(file->work, file->target) < 0)
        code = ot_err_sys(err, OT_ERR_IO, "%s", file->name);
    return code;
}

int ot_outfile_keep(struct ot_outfile *file, off_t *ret_bytes, struct ot_err *err)
{
    off_t bytes = 0;
    int code = put_in_place(file, &bytes, err);
    if (code < 0)
        ot_outfile_abandon(file);
    else if (ret_bytes)
        *ret_bytes = bytes;
    file->work[0] = '\0';
    return code;
}

void ot_outfile_abandon(struct ot_outfile *file)
{
    if (file->out)
        fclose(file->out);
    file->out = NULL;
    if (file->work[0] != '\0')
        unlink(file->work);
    file->work[0] = '\0';
}
