#include "ingest/oplog/find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/oplog.h"
#include "base/recording.h"
#include "base/vec.h"
#include "ingest/oplog/file.h"

static const char writer_line[] = "writer builtin\n";

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_suffix(const char *name)
{
    size_t len = strlen(name);
    size_t suffix_len = strlen(OT_OPLOG_SUFFIX);
    return len > suffix_len && strcmp(name + len - suffix_len, OT_OPLOG_SUFFIX) == 0;
}

static FILE *open_marker(const char *folder)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/" OT_RECORDING_FILE, folder);
    return len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;
}

static bool is_marked(const char *folder)
{
    char line[1024];
    bool is_ours = false;
    FILE *marker = open_marker(folder);
    while (marker && !is_ours && fgets(line, sizeof(line), marker))
        is_ours = strcmp(line, writer_line) == 0;
    if (marker)
        fclose(marker);
    return is_ours;
}

struct ot_oplog_marker ot_oplog_read_marker(const char *folder)
{
    struct ot_oplog_marker found = {0};
    char line[1024];
    FILE *marker = open_marker(folder);
    while (marker && fgets(line, sizeof(line), marker)) {
        found.is_cut |= strncmp(line, OT_RECORDING_CUT, strlen(OT_RECORDING_CUT)) == 0;
        if (strncmp(line, OT_RECORDING_OVERWRITTEN, strlen(OT_RECORDING_OVERWRITTEN)) != 0)
            continue;
        uint64_t n = strtoull(line + strlen(OT_RECORDING_OVERWRITTEN), NULL, 10);
        if (__builtin_add_overflow(found.n_overwritten, n, &found.n_overwritten))
            found.n_overwritten = UINT64_MAX;
    }
    if (marker)
        fclose(marker);
    return found;
}

/* Logs, and whether there is a trace of the LTTng writer instead. */
struct contents {
    bool has_log;
    bool has_metadata;
};

static int look_into(const char *folder, struct contents *ret, struct ot_err *err)
{
    DIR *stream = opendir(folder);
    if (!stream)
        return ot_err_sys(err, OT_ERR_IO, "%s: cannot look into the folder", folder);
    for (const struct dirent *entry; (entry = readdir(stream));) {
        ret->has_metadata |= strcmp(entry->d_name, "metadata") == 0;
        char path[PATH_MAX];
        if (ret->has_log || !has_suffix(entry->d_name))
            continue;
        int len = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        ret->has_log = len > 0 && (size_t)len < sizeof(path) && ot_oplog_is_log(path);
    }
    closedir(stream);
    return OT_OK;
}

int ot_oplog_recognise(const char *path, struct ot_err *err)
{
    if (!is_folder(path))
        return ot_oplog_is_log(path) ? OT_OK : OT_END;
    struct contents contents = {0};
    int code = look_into(path, &contents, err);
    if (code < 0)
        return code;
    bool is_ours = !contents.has_metadata && (contents.has_log || is_marked(path));
    return is_ours ? OT_OK : OT_END;
}

static int add_path(struct ot_oplog_paths *paths, char *path, struct ot_err *err)
{
    if (path && paths->n_paths >= OT_OPLOG_LOGS_MAX) {
        int code = ot_err_set(err, OT_ERR_NOMEM, "%s: more than %d operator logs", path,
                              OT_OPLOG_LOGS_MAX);
        free(path);
        return code;
    }
    if (!path ||
        !ot_vec_reserve(&paths->paths, &paths->cap, paths->n_paths + 1, sizeof(*paths->paths))) {
        free(path);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for paths");
    }
    paths->paths[paths->n_paths++] = path;
    return OT_OK;
}

static int keep_log(const struct dirent *entry)
{
    return has_suffix(entry->d_name);
}

/* alphasort() would ask the locale. */
static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int ot_oplog_find(struct ot_oplog_paths *paths, const char *path, struct ot_err *err)
{
    if (!is_folder(path))
        return add_path(paths, strdup(path), err);
    struct dirent **entries;
    int n_entries = scandir(path, &entries, keep_log, compare_entries);
    if (n_entries < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s: cannot look into the folder", path);
    int code = OT_OK;
    for (int i = 0; i < n_entries; i++) {
        char *log = NULL;
        if (code == OT_OK && asprintf(&log, "%s/%s", path, entries[i]->d_name) < 0)
            log = NULL;
        if (code == OT_OK)
            code = add_path(paths, log, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

void ot_oplog_paths_release(struct ot_oplog_paths *paths)
{
    if (!paths)
        return;
    for (size_t i = 0; i < paths->n_paths; i++)
        free(paths->paths[i]);
    free(paths->paths);
    *paths = (struct ot_oplog_paths){0};
}
