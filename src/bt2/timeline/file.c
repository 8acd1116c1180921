#include "bt2/timeline/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static char *joined(const char *path, const char *suffix)
{
    struct ot_str str = {0};
    ot_str_addf(&str, "%s%s", path, suffix);
    char *copy = str.failed ? NULL : strdup(ot_str_borrow(&str));
    ot_str_release(&str);
    return copy;
}

/* Up to the last slash. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static int fail(const struct ot_sink_file *file, const char *what, struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_IO, "%s: %s: %s", file->path, what, strerror(errno));
}

/* As open() would have made it. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_beside(struct ot_sink_file *file, mode_t mode, struct ot_err *err)
{
    int fd = mkstemp(file->work);
    if (fd >= 0 && fchmod(fd, mode) == 0)
        file->out = fdopen(fd, "wb");
    if (file->out)
        return OT_OK;
    int code = fail(file, "cannot be made", err);
    if (fd >= 0) {
        close(fd);
        unlink(file->work);
    }
    free(file->work);
    file->work = NULL;
    return code;
}

static int open_file(struct ot_sink_file *file, struct ot_err *err)
{
    struct stat status;
    bool exists = stat(file->path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        file->out = fopen(file->path, "wb");
        return file->out ? OT_OK : fail(file, "cannot be written to", err);
    }
    file->work = joined(file->path, ".XXXXXX");
    if (!file->work)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a path");
    return open_beside(file, exists ? status.st_mode & 0777 : usual_mode(), err);
}

int ot_sink_file_open(struct ot_sink_file *file, const char *path, struct ot_err *err)
{
    *file = (struct ot_sink_file){.path = strdup(path), .folder = folder_of(path)};
    int code = file->path && file->folder
                   ? open_file(file, err)
                   : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a path");
    if (code < 0)
        ot_sink_file_release(file);
    return code;
}

int ot_sink_file_keep(struct ot_sink_file *file, struct ot_err *err)
{
    bool has_failed = ferror(file->out);
    has_failed |= fclose(file->out) != 0;
    file->out = NULL;
    if (has_failed)
        return fail(file, "cannot be written", err);
    if (file->work && rename(file->work, file->path) != 0)
        return fail(file, "cannot be put in its place", err);
    free(file->work);
    file->work = NULL;
    return OT_OK;
}

void ot_sink_file_release(struct ot_sink_file *file)
{
    if (file->out)
        fclose(file->out);
    if (file->work)
        unlink(file->work);
    free(file->work);
    free(file->folder);
    free(file->path);
    *file = (struct ot_sink_file){0};
}
