#include "mcp/folders.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int ot_mcp_folders_init(struct ot_mcp_folders *folders, const char *const *paths, size_t n,
                        struct ot_err *err)
{
    *folders = (struct ot_mcp_folders){.paths = calloc(n + 1, sizeof(*folders->paths))};
    if (!folders->paths)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for folders");
    for (size_t i = 0; i < n; i++) {
        struct stat status;
        char *path = realpath(paths[i], NULL);
        if (!path)
            return ot_err_sys(err, OT_ERR_INPUT, "--allow: %s", paths[i]);
        folders->paths[folders->n++] = path;
        if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
            return ot_err_set(err, OT_ERR_INPUT, "--allow: %s is not a folder", paths[i]);
    }
    return OT_OK;
}

void ot_mcp_folders_release(struct ot_mcp_folders *folders)
{
    for (size_t i = 0; i < folders->n; i++)
        free(folders->paths[i]);
    free(folders->paths);
    *folders = (struct ot_mcp_folders){0};
}

/* `path` is absolute and without links. */
static bool is_inside(const struct ot_mcp_folders *folders, const char *path)
{
    for (size_t i = 0; i < folders->n; i++) {
        size_t len = strlen(folders->paths[i]);
        if (strcmp(folders->paths[i], "/") == 0)
            return true;
        if (strncmp(path, folders->paths[i], len) == 0 && (path[len] == '/' || path[len] == '\0'))
            return true;
    }
    return false;
}

static enum ot_mcp_place find_links(const struct ot_mcp_folders *folders, char path[PATH_MAX],
                                    size_t *entries);

/* An entry of a folder that is inside: so is it, unless it is a link that leads out or a folder
 * that has one. */
static enum ot_mcp_place find_entry(const struct ot_mcp_folders *folders, char path[PATH_MAX],
                                    size_t *entries)
{
    struct stat status;
    if (lstat(path, &status) < 0)
        return OT_MCP_OUTSIDE;
    if (S_ISDIR(status.st_mode))
        return find_links(folders, path, entries);
    if (!S_ISLNK(status.st_mode))
        return OT_MCP_INSIDE;
    char *target = realpath(path, NULL);
    bool stays = target && is_inside(folders, target);
    free(target);
    return stays ? OT_MCP_INSIDE : OT_MCP_OUTSIDE;
}

/* Entry by entry, since a folder may have any number. `path` is as it was afterwards. */
static enum ot_mcp_place find_links(const struct ot_mcp_folders *folders, char path[PATH_MAX],
                                    size_t *entries)
{
    size_t len = strlen(path);
    DIR *folder = opendir(path);
    enum ot_mcp_place place = folder ? OT_MCP_INSIDE : OT_MCP_OUTSIDE;
    for (struct dirent *entry; place == OT_MCP_INSIDE && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (*entries == 0) {
            place = OT_MCP_TOO_MANY;
            break;
        }
        --*entries;
        int added = snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name);
        bool fits = (size_t)added < PATH_MAX - len;
        place = fits ? find_entry(folders, path, entries) : OT_MCP_OUTSIDE;
        path[len] = '\0';
    }
    if (folder)
        closedir(folder);
    return place;
}

/* What the path would be in is inside. */
static bool would_be_inside(const struct ot_mcp_folders *folders, const char *path)
{
    char folder[PATH_MAX];
    char resolved[PATH_MAX];
    if ((size_t)snprintf(folder, sizeof(folder), "%s", path) >= sizeof(folder))
        return false;
    return realpath(dirname(folder), resolved) && is_inside(folders, resolved);
}

enum ot_mcp_place ot_mcp_folders_find(const struct ot_mcp_folders *folders, const char *path,
                                      size_t *entries, char ret_path[PATH_MAX])
{
    if (!realpath(path, ret_path))
        return errno == ENOENT && would_be_inside(folders, path) ? OT_MCP_ABSENT : OT_MCP_OUTSIDE;
    struct stat status;
    if (!is_inside(folders, ret_path) || lstat(ret_path, &status) < 0)
        return OT_MCP_OUTSIDE;
    if (S_ISDIR(status.st_mode))
        return find_links(folders, ret_path, entries);
    return S_ISREG(status.st_mode) ? OT_MCP_INSIDE : OT_MCP_OUTSIDE;
}
