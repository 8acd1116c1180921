#include "capture/paths.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ot_paths_lib_dir(char ret_dir[PATH_MAX], struct ot_err *err)
{
    char exe[PATH_MAX];
    char tracer[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (len < 0)
        return ot_err_sys(err, OT_ERR_IO, "/proc/self/exe");
    exe[len] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(exe, '/');
        if (!slash)
            return ot_err_set(err, OT_ERR_MISSING, "%s has no folder above it", exe);
        *slash = '\0';
    }
    int dir_len = snprintf(ret_dir, PATH_MAX, "%s/lib/optally", exe);
    int tracer_len = snprintf(tracer, sizeof(tracer), "%s/lib/optally/liboptally-tracer.so", exe);
    if (dir_len >= PATH_MAX || tracer_len >= PATH_MAX)
        return ot_err_set(err, OT_ERR_MISSING, "the path of the installation is too long");
    if (access(tracer, R_OK) < 0)
        return ot_err_sys(err, OT_ERR_MISSING, "%s (install optally again)", tracer);
    return OT_OK;
}

static enum ot_command look_at(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return OT_COMMAND_NOT_FOUND;
    if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
        return OT_COMMAND_NOT_EXECUTABLE;
    return OT_COMMAND_FOUND;
}

enum ot_command ot_paths_find_command(const char *command, char ret_path[PATH_MAX])
{
    if (strchr(command, '/')) {
        snprintf(ret_path, PATH_MAX, "%s", command);
        return look_at(command);
    }
    enum ot_command best = OT_COMMAND_NOT_FOUND;
    const char *dirs = getenv("PATH");
    for (const char *dir = dirs ? dirs : "/bin:/usr/bin"; command[0] != '\0';) {
        size_t len = strcspn(dir, ":");
        char path[PATH_MAX];
        int written =
            snprintf(path, sizeof(path), "%.*s/%s", len ? (int)len : 1, len ? dir : ".", command);
        if (written > 0 && (size_t)written < sizeof(path)) {
            enum ot_command found = look_at(path);
            if (found == OT_COMMAND_FOUND) {
                memcpy(ret_path, path, (size_t)written + 1);
                return OT_COMMAND_FOUND;
            }
            if (found == OT_COMMAND_NOT_EXECUTABLE)
                best = found;
        }
        if (dir[len] == '\0')
            break;
        dir += len + 1;
    }
    return best;
}

/* Socket names have 108 bytes, so the folder is kept near the root. */
int ot_paths_make_run_dir(char ret_dir[PATH_MAX], struct ot_err *err)
{
    const char *base = getenv("XDG_RUNTIME_DIR");
    if (!base || base[0] != '/' || strlen(base) > 40 || access(base, W_OK) < 0)
        base = "/tmp";
    snprintf(ret_dir, PATH_MAX, "%s/optally-XXXXXX", base);
    if (!mkdtemp(ret_dir))
        return ot_err_sys(err, OT_ERR_IO, "no temporary folder in %s", base);
    return OT_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    remove(path);
    return 0;
}

static int remove_one_below(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return ftw->level == 0 ? 0 : remove_one(path, st, type, ftw);
}

enum { OPEN_FOLDERS = 16, WALK = FTW_DEPTH | FTW_PHYS | FTW_MOUNT };

void ot_paths_remove_tree(const char *path)
{
    nftw(path, remove_one, OPEN_FOLDERS, WALK);
}

void ot_paths_empty_tree(const char *path)
{
    nftw(path, remove_one_below, OPEN_FOLDERS, WALK);
}

bool ot_paths_is_empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    bool empty = true;
    for (struct dirent *entry; empty && (entry = readdir(dir));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(dir);
    return empty;
}
