#include "corpus/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ASIDE_BYTES = sizeof("/file-XXXXXX") };

int ot_disk_path(char ret_path[PATH_MAX], struct ot_err *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(ret_path, PATH_MAX, fmt, args);
    va_end(args);
    return len < PATH_MAX ? OT_OK : ot_err_set(err, OT_ERR_IO, "%s...: too long a path", ret_path);
}

static int read_all(int fd, const char *path, char *bytes, size_t len, struct ot_err *err)
{
    size_t n = 0;
    while (n < len) {
        ssize_t got = read(fd, bytes + n, len - n);
        if (got < 0)
            return ot_err_sys(err, OT_ERR_IO, "%s", path);
        if (got == 0)
            return ot_err_set(err, OT_ERR_IO, "%s became shorter while it was read", path);
        n += (size_t)got;
    }
    return OT_OK;
}

static int read_open(struct ot_arena *arena, int fd, const char *path, char **ret_bytes,
                     size_t *ret_len, struct ot_err *err)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    if (!S_ISREG(status.st_mode) || status.st_size > OT_DISK_MAX_BYTES)
        return ot_err_set(err, OT_ERR_INPUT, "%s is no file of a store of optally", path);
    size_t len = (size_t)status.st_size;
    char *bytes = ot_arena_alloc(arena, len + 1);
    if (!bytes)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for %s", path);
    int code = read_all(fd, path, bytes, len, err);
    if (code < 0)
        return code;
    bytes[len] = '\0';
    *ret_bytes = bytes;
    *ret_len = len;
    return OT_OK;
}

int ot_disk_read(struct ot_arena *arena, const char *path, char **ret_bytes, size_t *ret_len,
                 struct ot_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    int code = read_open(arena, fd, path, ret_bytes, ret_len, err);
    close(fd);
    return code;
}

static int write_synced(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len) {
        ssize_t put = write(fd, at, len);
        if (put < 0)
            return -1;
        at += put;
        len -= (size_t)put;
    }
    return fsync(fd);
}

/* mkstemp() makes files for the owner alone; a store is as readable as the umask has it. */
static void open_to_others(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

int ot_disk_write(const char *path, const char *aside, const void *bytes, size_t len,
                  struct ot_err *err)
{
    char work[PATH_MAX + ASIDE_BYTES];
    snprintf(work, sizeof(work), "%s/file-XXXXXX", aside);
    int fd = mkostemp(work, O_CLOEXEC);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    open_to_others(fd);
    int failed = write_synced(fd, bytes, len);
    failed |= close(fd);
    if (failed || rename(work, path) < 0) {
        int code = ot_err_sys(err, OT_ERR_IO, "%s", path);
        unlink(work);
        return code;
    }
    return OT_OK;
}

static int sync_path(const char *path, int flags, struct ot_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    int code = fsync(fd) < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", path) : OT_OK;
    close(fd);
    return code;
}

int ot_disk_sync_folder(const char *path, struct ot_err *err)
{
    return sync_path(path, O_DIRECTORY, err);
}

/* Calls `visit` for all that is at and below a path, links not followed. */
static int walk(const char *path, int (*visit)(void *context, FTSENT *entry, struct ot_err *err),
                void *context, struct ot_err *err)
{
    char *roots[] = {(char *)path, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    int code = OT_OK;
    for (FTSENT *entry; code == OT_OK && (entry = fts_read(tree));)
        code = visit(context, entry, err);
    fts_close(tree);
    return code;
}

static int sync_entry(void *context, FTSENT *entry, struct ot_err *err)
{
    (void)context;
    if (entry->fts_info == FTS_F)
        return sync_path(entry->fts_path, 0, err);
    return entry->fts_info == FTS_DP ? ot_disk_sync_folder(entry->fts_path, err) : OT_OK;
}

int ot_disk_sync_tree(const char *path, struct ot_err *err)
{
    return walk(path, sync_entry, NULL, err);
}

int ot_disk_place(const char *from, const char *to, struct ot_err *err)
{
    int code = ot_disk_sync_tree(from, err);
    if (code < 0 || rename(from, to) == 0)
        return code;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return ot_err_sys(err, OT_ERR_IO, "%s", to);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return OT_OK;
    code = ot_disk_remove_tree(to, err);
    if (code == OT_OK && rename(from, to) < 0)
        code = ot_err_sys(err, OT_ERR_IO, "%s", to);
    return code;
}

int ot_disk_make_folder(const char *path, struct ot_err *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return OT_OK;
    return ot_err_sys(err, OT_ERR_IO, "%s", path);
}

static int remove_entry(void *context, FTSENT *entry, struct ot_err *err)
{
    (void)context;
    if (entry->fts_info == FTS_NS && entry->fts_errno == ENOENT)
        return OT_OK;
    /* Files of a recording may have been read-only, and so their folders. */
    if (entry->fts_info == FTS_D) {
        chmod(entry->fts_path, 0700);
        return OT_OK;
    }
    int failed = entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR ? rmdir(entry->fts_path)
                                                                         : unlink(entry->fts_path);
    return failed && errno != ENOENT ? ot_err_sys(err, OT_ERR_IO, "%s", entry->fts_path) : OT_OK;
}

int ot_disk_remove_tree(const char *path, struct ot_err *err)
{
    return walk(path, remove_entry, NULL, err);
}

static int add_bytes(void *context, FTSENT *entry, struct ot_err *err)
{
    (void)err;
    if (entry->fts_info == FTS_F)
        *(uint64_t *)context += (uint64_t)entry->fts_statp->st_size;
    return OT_OK;
}

uint64_t ot_disk_tree_bytes(const char *path)
{
    uint64_t n_bytes = 0;
    walk(path, add_bytes, &n_bytes, NULL);
    return n_bytes;
}

bool ot_disk_is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int ot_disk_list(const char *path, int (*take)(void *context, const char *name, struct ot_err *err),
                 void *context, struct ot_err *err)
{
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, is_entry, by_bytes);
    if (n < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    int code = OT_OK;
    for (int i = 0; i < n; i++) {
        if (code == OT_OK)
            code = take(context, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}
