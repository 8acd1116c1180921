#include "ingest/ctf/find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

static int walk(struct ot_ctf_folders *folders, const char *path, int level, struct ot_err *err);

static int keep_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* alphasort() would ask the locale. */
static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* CTF 1.8, section 5: a packet starts with this number in the byte order of the trace. */
static bool is_stream(const char *path)
{
    static const unsigned char magic[2][4] = {{0xc1, 0x1f, 0xfc, 0xc1}, {0xc1, 0xfc, 0x1f, 0xc1}};
    unsigned char start[4];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_read = read(fd, start, sizeof(start)) == (ssize_t)sizeof(start);
    close(fd);
    return is_read && (memcmp(start, magic[0], sizeof(start)) == 0 ||
                       memcmp(start, magic[1], sizeof(start)) == 0);
}

static int add_folder(struct ot_ctf_folders *folders, const char *path, struct ot_err *err)
{
    if (folders->n_paths >= OT_CTF_MAX_FOLDERS)
        return ot_err_set(err, OT_ERR_NOMEM, "%s: more than %d trace folders", path,
                          OT_CTF_MAX_FOLDERS);
    char *copy = strdup(path);
    if (!copy || !ot_vec_reserve(&folders->paths, &folders->cap, folders->n_paths + 1,
                                 sizeof(*folders->paths))) {
        free(copy);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for trace folders");
    }
    folders->paths[folders->n_paths++] = copy;
    return OT_OK;
}

/* The folder that is being looked through. */
struct place {
    const char *path;
    int level;
    bool has_metadata; /* its streams are no strays */
};

static int visit(struct ot_ctf_folders *folders, const struct place *place, const char *name,
                 struct ot_err *err)
{
    char *child = NULL;
    if (asprintf(&child, "%s/%s", place->path, name) < 0)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a path");
    int code = OT_OK;
    struct stat status;
    if (lstat(child, &status) != 0) {
        /* Gone since the folder was listed: as if it had never been there. */
    } else if (S_ISDIR(status.st_mode)) {
        code = walk(folders, child, place->level + 1, err);
    } else if (S_ISREG(status.st_mode) && !place->has_metadata && !folders->stray_stream &&
               is_stream(child)) {
        folders->stray_stream = child;
        child = NULL;
    }
    free(child);
    return code;
}

static int walk(struct ot_ctf_folders *folders, const char *path, int level, struct ot_err *err)
{
    if (level > OT_CTF_MAX_LEVELS)
        return ot_err_set(err, OT_ERR_INPUT, "%s: more than %d folders deep", path,
                          OT_CTF_MAX_LEVELS);
    struct dirent **entries;
    int n_entries = scandir(path, &entries, keep_entry, compare_entries);
    if (n_entries < 0) {
        if (level == 0 && errno == ENOTDIR)
            return OT_OK;
        return ot_err_sys(err, OT_ERR_IO, "%s: cannot look into the folder", path);
    }
    struct place place = {.path = path, .level = level};
    for (int i = 0; i < n_entries; i++)
        place.has_metadata |= strcmp(entries[i]->d_name, "metadata") == 0;
    int code = place.has_metadata ? add_folder(folders, path, err) : OT_OK;
    for (int i = 0; i < n_entries; i++) {
        if (code == OT_OK)
            code = visit(folders, &place, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

int ot_ctf_find(struct ot_ctf_folders *folders, const char *path, struct ot_err *err)
{
    return walk(folders, path, 0, err);
}

void ot_ctf_folders_release(struct ot_ctf_folders *folders)
{
    if (!folders)
        return;
    for (size_t i = 0; i < folders->n_paths; i++)
        free(folders->paths[i]);
    free(folders->paths);
    free(folders->stray_stream);
    *folders = (struct ot_ctf_folders){0};
}
