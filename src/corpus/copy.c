#include "corpus/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpus/disk.h"

enum { CHUNK_BYTES = 1 << 16 };

static int copy_bytes(int in, int out, const char *from, const char *to, uint64_t *n_bytes,
                      struct ot_err *err)
{
    char chunk[CHUNK_BYTES];
    for (;;) {
        ssize_t got = read(in, chunk, sizeof(chunk));
        if (got < 0)
            return ot_err_sys(err, OT_ERR_IO, "%s", from);
        if (got == 0)
            return OT_OK;
        for (ssize_t at = 0; at < got;) {
            ssize_t put = write(out, chunk + at, (size_t)(got - at));
            if (put < 0)
                return ot_err_sys(err, OT_ERR_IO, "%s", to);
            at += put;
        }
        *n_bytes += (uint64_t)got;
    }
}

static int copy_file(const char *from, const char *to, uint64_t *n_bytes, struct ot_err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", from);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int code = out < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", to)
                       : copy_bytes(in, out, from, to, n_bytes, err);
    if (out >= 0 && close(out) < 0 && code == OT_OK)
        code = ot_err_sys(err, OT_ERR_IO, "%s", to);
    close(in);
    return code;
}

static int copy_entry(const FTSENT *entry, size_t root_len, const char *to, uint64_t *n_bytes,
                      struct ot_err *err)
{
    char target[PATH_MAX];
    int code = ot_disk_path(target, err, "%s%s", to, entry->fts_path + root_len);
    if (code < 0)
        return code;
    switch (entry->fts_info) {
    case FTS_D:
        return ot_disk_make_folder(target, err);
    case FTS_F:
        return copy_file(entry->fts_path, target, n_bytes, err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        errno = entry->fts_errno;
        return ot_err_sys(err, OT_ERR_IO, "%s", entry->fts_path);
    default:
        return OT_OK;
    }
}

int ot_copy_tree(const char *from, const char *to, uint64_t *ret_bytes, struct ot_err *err)
{
    char root[PATH_MAX];
    uint64_t n_bytes = 0;
    int code = ot_disk_path(root, err, "%s", from);
    if (code < 0)
        return code;
    size_t len = strlen(root);
    while (len > 1 && root[len - 1] == '/')
        root[--len] = '\0';
    char *roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return ot_err_sys(err, OT_ERR_IO, "%s", from);
    for (FTSENT *entry; code == OT_OK && (entry = fts_read(tree));)
        code = copy_entry(entry, len, to, &n_bytes, err);
    fts_close(tree);
    if (code == OT_OK)
        *ret_bytes = n_bytes;
    return code;
}

static bool same_bytes(int a, int b)
{
    char of_a[CHUNK_BYTES];
    char of_b[CHUNK_BYTES];
    for (;;) {
        ssize_t n_a = read(a, of_a, sizeof(of_a));
        ssize_t n_b = read(b, of_b, sizeof(of_b));
        if (n_a != n_b || n_a < 0 || memcmp(of_a, of_b, (size_t)n_a) != 0)
            return false;
        if (n_a == 0)
            return true;
    }
}

static bool same_file(const char *a, const char *b)
{
    int fd_a = open(a, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int fd_b = open(b, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool is_same = fd_a >= 0 && fd_b >= 0 && same_bytes(fd_a, fd_b);
    if (fd_a >= 0)
        close(fd_a);
    if (fd_b >= 0)
        close(fd_b);
    return is_same;
}

/* All that is in `a` is in `b`, too. */
static bool holds(const char *a, const char *b)
{
    char *roots[] = {(char *)a, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool is_same = tree != NULL;
    for (FTSENT *entry; is_same && (entry = fts_read(tree));) {
        char other[PATH_MAX];
        is_same = ot_disk_path(other, NULL, "%s%s", b, entry->fts_path + strlen(a)) == OT_OK;
        if (entry->fts_info == FTS_F)
            is_same = is_same && same_file(entry->fts_path, other);
        else if (entry->fts_info == FTS_D)
            is_same = is_same && ot_disk_is_there(other);
        else if (entry->fts_info != FTS_DP)
            is_same = false;
    }
    if (tree)
        fts_close(tree);
    return is_same;
}

/* As many bytes, and all that is in one is in the other: so there is no more in the other, but for
 * empty files, which matter to nobody. */
bool ot_copy_is_same(const char *a, const char *b)
{
    return ot_disk_tree_bytes(a) == ot_disk_tree_bytes(b) && holds(a, b);
}
