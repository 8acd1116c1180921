#include "cli/folder_files.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int take(struct ot_folder_files *files, const FTSENT *entry, struct ot_err *err)
{
    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
        errno = entry->fts_errno;
        return ot_err_sys(err, OT_ERR_IO, "%s", entry->fts_path);
    }
    if (entry->fts_info != FTS_F)
        return OT_OK;
    if (files->n >= OT_FOLDER_FILES_MAX)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d files", OT_FOLDER_FILES_MAX);
    char *path = strdup(entry->fts_path);
    if (!path || !ot_vec_reserve(&files->paths, &files->cap, files->n + 1, sizeof(*files->paths))) {
        free(path);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for the names of files");
    }
    files->paths[files->n++] = path;
    return OT_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int ot_folder_files_list(struct ot_folder_files *files, const char *folder, struct ot_err *err)
{
    char *root = strdup(folder);
    if (!root)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for the names of files");
    /* The paths are this one, a slash, and the relative one. */
    size_t len = strlen(root);
    while (len > 1 && root[len - 1] == '/')
        root[--len] = '\0';
    files->root_len = len + (root[len - 1] != '/');

    char *roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    int code = tree ? OT_OK : ot_err_sys(err, OT_ERR_IO, "%s", folder);
    while (code == OT_OK) {
        errno = 0;
        const FTSENT *entry = fts_read(tree);
        if (!entry) {
            code = errno ? ot_err_sys(err, OT_ERR_IO, "%s", folder) : OT_OK;
            break;
        }
        code = take(files, entry, err);
    }
    if (tree)
        fts_close(tree);
    free(root);
    if (code == OT_OK && files->n)
        qsort(files->paths, files->n, sizeof(*files->paths), by_bytes);
    return code;
}

void ot_folder_files_release(struct ot_folder_files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->n; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct ot_folder_files){0};
}
