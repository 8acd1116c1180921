#include "cli/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/paths.h"

#define MARKER "optally.export"

enum { MARKER_BYTES = sizeof("/" MARKER), SUFFIX_BYTES = sizeof(".new-XXXXXX") };

static bool has_marker(const char *path)
{
    char marker[PATH_MAX + MARKER_BYTES];
    snprintf(marker, sizeof(marker), "%s/" MARKER, path);
    return access(marker, F_OK) == 0;
}

/* "." and links have nothing beside them but by their real names. */
static int find_target(struct ot_aside *aside, bool is_there, struct ot_err *err)
{
    char copy[PATH_MAX];
    char parent[PATH_MAX];
    if (is_there)
        return realpath(aside->name, aside->target) ? OT_OK
                                                    : ot_err_sys(err, OT_ERR_IO, "%s", aside->name);
    snprintf(copy, sizeof(copy), "%s", aside->name);
    if (!realpath(dirname(copy), parent))
        return ot_err_sys(err, OT_ERR_IO, "%s", aside->name);
    snprintf(copy, sizeof(copy), "%s", aside->name);
    if (snprintf(aside->target, PATH_MAX, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent,
                 basename(copy)) >= PATH_MAX)
        return ot_err_set(err, OT_ERR_IO, "%s: the path is too long", aside->name);
    return OT_OK;
}

static int check_what_is_there(const struct ot_aside *aside, bool is_folder, bool force,
                               struct ot_err *err)
{
    if (is_folder && ot_paths_is_empty_folder(aside->name))
        return OT_OK;
    if (!force)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s exists: choose another folder, or replace it with --force",
                          aside->name);
    if (is_folder && has_marker(aside->name))
        return OT_OK;
    return ot_err_set(err, OT_ERR_INPUT,
                      "%s is not an export of optally, and --force replaces nothing else: choose "
                      "another folder",
                      aside->name);
}

int ot_aside_make(struct ot_aside *aside, const char *name, bool force, struct ot_err *err)
{
    *aside = (struct ot_aside){.name = name};
    struct stat status;
    if (name[0] == '\0' || strlen(name) >= PATH_MAX)
        return ot_err_set(err, OT_ERR_INPUT, "'%s' cannot be the name of a folder", name);
    aside->replaces = lstat(name, &status) == 0;
    if (!aside->replaces && errno != ENOENT)
        return ot_err_sys(err, OT_ERR_IO, "%s", name);
    int code = OT_OK;
    if (aside->replaces)
        code = check_what_is_there(aside, S_ISDIR(status.st_mode), force, err);
    if (code == OT_OK)
        code = find_target(aside, aside->replaces, err);
    if (code < 0)
        return code;
    if (strlen(aside->target) + SUFFIX_BYTES > PATH_MAX)
        return ot_err_set(err, OT_ERR_IO, "%s: the path is too long", name);
    stpcpy(stpcpy(aside->work, aside->target), ".new-XXXXXX");
    if (!mkdtemp(aside->work))
        return ot_err_sys(err, OT_ERR_IO, "%s", name);
    mode_t mask = umask(0);
    umask(mask);
    chmod(aside->work, aside->replaces ? status.st_mode & 07777 : 0777 & ~mask);
    return OT_OK;
}

static int write_marker(const struct ot_aside *aside, struct ot_err *err)
{
    static const char text[] = "optally export 1\n";
    char path[PATH_MAX + MARKER_BYTES];
    snprintf(path, sizeof(path), "%s/" MARKER, aside->work);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", aside->name);
    bool failed = write(fd, text, sizeof(text) - 1) != (ssize_t)(sizeof(text) - 1);
    failed |= close(fd) < 0;
    return failed ? ot_err_sys(err, OT_ERR_IO, "%s", aside->name) : OT_OK;
}

/* A folder that has something in it can only be moved out of the way. */
static int move_into_place(struct ot_aside *aside, struct ot_err *err)
{
    char old[PATH_MAX];
    if (rename(aside->work, aside->target) == 0)
        return OT_OK;
    if (!aside->replaces || (errno != ENOTEMPTY && errno != EEXIST))
        return ot_err_sys(err, OT_ERR_IO, "%s", aside->name);
    stpcpy(stpcpy(old, aside->target), ".old-XXXXXX");
    if (!mkdtemp(old))
        return ot_err_sys(err, OT_ERR_IO, "%s", aside->name);
    if (rename(aside->target, old) < 0) {
        int code = ot_err_sys(err, OT_ERR_IO, "%s cannot be replaced", aside->name);
        rmdir(old);
        return code;
    }
    if (rename(aside->work, aside->target) < 0) {
        int code = ot_err_sys(err, OT_ERR_IO, "%s", aside->name);
        if (rename(old, aside->target) < 0)
            ot_err_context(err, "what was there is in %s", old);
        return code;
    }
    ot_paths_remove_tree(old);
    return OT_OK;
}

int ot_aside_keep(struct ot_aside *aside, struct ot_err *err)
{
    int code = write_marker(aside, err);
    if (code == OT_OK)
        code = move_into_place(aside, err);
    if (code < 0)
        ot_aside_abandon(aside);
    return code;
}

void ot_aside_abandon(struct ot_aside *aside)
{
    if (aside->work[0] != '\0')
        ot_paths_remove_tree(aside->work);
}
