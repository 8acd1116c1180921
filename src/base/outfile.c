#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Short, so that a name that the target may have is never too long for what is beside it. */
#define WORK "/.optally-"

/* A link is followed, so that it stays one. */
static int find_target(struct ot_outfile *file, bool is_there, struct ot_err *err)
{
    char copy[PATH_MAX];
    if (is_there) {
        if (!realpath(file->name, file->target))
            return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
        memcpy(copy, file->target, sizeof(copy));
        stpcpy(file->folder, dirname(copy));
        return OT_OK;
    }
    snprintf(copy, sizeof(copy), "%s", file->name);
    if (!realpath(dirname(copy), file->folder))
        return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
    snprintf(copy, sizeof(copy), "%s", file->name);
    const char *slash = strcmp(file->folder, "/") == 0 ? "" : "/";
    if (snprintf(file->target, PATH_MAX, "%s%s%s", file->folder, slash, basename(copy)) >= PATH_MAX)
        return ot_err_set(err, OT_ERR_IO, "%s: the path is too long", file->name);
    return OT_OK;
}

/* Whether `path` is `folder` or below it; both are absolute. */
static bool is_inside(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* A file of an input must not be replaced, and one that is added to a folder changes what the
 * folder is known by. */
static int refuse_inputs(const struct ot_outfile *file, const char *const *inputs, size_t n_inputs,
                         struct ot_err *err)
{
    char input[PATH_MAX];
    struct stat is;
    struct stat will_be;
    bool is_there = stat(file->target, &will_be) == 0;
    for (size_t i = 0; i < n_inputs; i++) {
        if (strcmp(inputs[i], "-") == 0 || stat(inputs[i], &is) < 0)
            continue;
        if (is_there && is.st_dev == will_be.st_dev && is.st_ino == will_be.st_ino)
            return ot_err_set(err, OT_ERR_INPUT, "%s is an input: write to another file",
                              file->name);
        if (S_ISDIR(is.st_mode) && realpath(inputs[i], input) && is_inside(file->folder, input))
            return ot_err_set(err, OT_ERR_INPUT, "%s lies in the input %s: write to another folder",
                              file->name, inputs[i]);
    }
    return OT_OK;
}

/* Without a name if that can be had: then a kill leaves nothing. */
static int open_beside(struct ot_outfile *file, int *ret_fd, struct ot_err *err)
{
    int fd = open(file->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        stpcpy(stpcpy(file->work, file->folder), WORK "XXXXXX");
        fd = mkostemp(file->work, O_CLOEXEC);
    }
    if (fd < 0) {
        file->work[0] = '\0';
        return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
    }
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

static int look(struct ot_outfile *file, struct stat *status, bool *ret_is_there,
                struct ot_err *err)
{
    const char *name = file->name;
    if (name[0] == '\0' || strlen(name) >= PATH_MAX)
        return ot_err_set(err, OT_ERR_INPUT, "'%s' cannot be the name of a file", name);
    *ret_is_there = stat(name, status) == 0;
    if (!*ret_is_there && errno != ENOENT)
        return ot_err_sys(err, OT_ERR_IO, "%s", name);
    if (!*ret_is_there && lstat(name, status) == 0)
        return ot_err_set(err, OT_ERR_INPUT, "%s is a link to a file that is not there", name);
    if ((*ret_is_there && S_ISDIR(status->st_mode)) || name[strlen(name) - 1] == '/')
        return ot_err_set(err, OT_ERR_INPUT, "%s is a folder: name a file in it", name);
    return OT_OK;
}

static int open_fd(struct ot_outfile *file, const char *const *inputs, size_t n_inputs, int *ret_fd,
                   struct ot_err *err)
{
    struct stat status;
    bool is_there = false;
    if (strcmp(file->name, "-") == 0) {
        file->name = "standard output";
        *ret_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return *ret_fd < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", file->name) : OT_OK;
    }
    int code = look(file, &status, &is_there, err);
    if (code < 0)
        return code;
    if (is_there && !S_ISREG(status.st_mode)) {
        *ret_fd = open(file->name, O_WRONLY | O_CLOEXEC);
        return *ret_fd < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", file->name) : OT_OK;
    }
    file->mode = is_there ? status.st_mode & 07777 : usual_mode();
    code = find_target(file, is_there, err);
    if (code == OT_OK)
        code = refuse_inputs(file, inputs, n_inputs, err);
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
    code = ot_err_sys(err, OT_ERR_IO, "%s cannot be written to", file->name);
    close(fd);
    ot_outfile_abandon(file);
    return code;
}

const char *ot_outfile_temp_folder(const struct ot_outfile *file)
{
    const char *folder = getenv("TMPDIR");
    if (folder && folder[0] != '\0')
        return folder;
    return file->folder[0] != '\0' ? file->folder : "/tmp";
}

/* Only a file that has a name can be renamed into the place of another. */
static int give_name(struct ot_outfile *file, struct ot_err *err)
{
    enum { MAX_TRIES = 100 };
    char self[64];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(file->out));
    char *end = stpcpy(file->work, file->folder);
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        snprintf(end, OT_OUTFILE_WORK_BYTES, WORK "%d-%d", (int)getpid(), tries);
        if (linkat(AT_FDCWD, self, AT_FDCWD, file->work, AT_SYMLINK_FOLLOW) == 0)
            return OT_OK;
        if (errno != EEXIST)
            break;
    }
    file->work[0] = '\0';
    return ot_err_sys(err, OT_ERR_IO, "%s", file->name);
}

/* What the FILE has failed at, now or before. */
static int check(const struct ot_outfile *file, bool has_failed, struct ot_err *err)
{
    if (!has_failed)
        return OT_OK;
    errno = errno ? errno : EIO;
    return ot_err_sys(err, OT_ERR_IO, "%s: cannot write the output", file->name);
}

static int put_in_place(struct ot_outfile *file, off_t *ret_bytes, struct ot_err *err)
{
    struct stat status;
    errno = 0;
    int code = check(file, fflush(file->out) != 0 || ferror(file->out), err);
    if (code < 0)
        return code;
    if (fstat(fileno(file->out), &status) == 0 && S_ISREG(status.st_mode))
        *ret_bytes = status.st_size;
    if (file->target[0] != '\0' && file->work[0] == '\0')
        code = give_name(file, err);
    if (code < 0)
        return code;
    errno = 0;
    bool has_failed = fclose(file->out) != 0;
    file->out = NULL;
    code = check(file, has_failed, err);
    if (code == OT_OK && file->target[0] != '\0' && rename(file->work, file->target) < 0)
        code = ot_err_sys(err, OT_ERR_IO, "%s", file->name);
    return code;
}

int ot_outfile_keep(struct ot_outfile *file, off_t *ret_bytes, struct ot_err *err)
{
    off_t bytes = 0;
    int code = put_in_place(file, &bytes, err);
    if (code == OT_OK)
        file->work[0] = '\0';
    if (code == OT_OK && ret_bytes)
        *ret_bytes = bytes;
    ot_outfile_abandon(file);
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
