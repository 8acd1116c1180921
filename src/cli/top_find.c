#include "cli/top_find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/oplog.h"
#include "base/recording.h"
#include "ingest/oplog/alive.h"
#include "ingest/oplog/file.h"

static const char data_folder[] = "optally-data";
static const char writer_line[] = "writer ";
static const char command_line[] = "command ";

static bool starts_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

static bool is_log_name(const char *name)
{
    size_t len = strlen(name);
    size_t suffix_len = sizeof(OT_OPLOG_SUFFIX) - 1;
    return len > suffix_len && strcmp(name + len - suffix_len, OT_OPLOG_SUFFIX) == 0;
}

/* --- one folder --------------------------------------------------------------------------------
 */

/* The writer of the marker's recording, and its command. OT_END: there is no marker. */
static int read_marker(const char *folder, char ret_writer[32], struct ot_str *ret_command)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof(path), "%s/" OT_RECORDING_FILE, folder) >= (int)sizeof(path))
        return OT_END;
    FILE *file = fopen(path, "re");
    if (!file)
        return OT_END;
    char *line = NULL;
    size_t cap = 0;
    ret_writer[0] = '\0';
    for (ssize_t len; (len = getline(&line, &cap, file)) > 0;) {
        if (line[len - 1] == '\n')
            line[--len] = '\0';
        if (starts_with(line, writer_line))
            snprintf(ret_writer, 32, "%s", line + sizeof(writer_line) - 1);
        else if (starts_with(line, command_line) && ret_command->len == 0)
            ot_str_addf(ret_command, "%s", line + sizeof(command_line) - 1);
    }
    free(line);
    fclose(file);
    return OT_OK;
}

/* Calls `accept` for each log until that says true. */
static bool any_log(const char *folder, bool (*accept)(const char *path))
{
    DIR *dir = opendir(folder);
    bool found = false;
    if (!dir)
        return false;
    for (struct dirent *item; !found && (item = readdir(dir));) {
        char path[PATH_MAX];
        if (is_log_name(item->d_name) &&
            snprintf(path, sizeof(path), "%s/%s", folder, item->d_name) < (int)sizeof(path))
            found = accept(path);
    }
    closedir(dir);
    return found;
}

int ot_top_check(const char *folder, struct ot_str *ret_command, struct ot_err *err)
{
    struct stat status;
    char writer[32] = "";
    if (stat(folder, &status) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", folder);
    if (!S_ISDIR(status.st_mode))
        return ot_err_set(err, OT_ERR_INPUT, "%s: not a folder: give that of a recording", folder);
    DIR *dir = opendir(folder);
    if (!dir)
        return ot_err_sys(err, OT_ERR_IO, "%s", folder);
    closedir(dir);
    bool has_marker = read_marker(folder, writer, ret_command) == OT_OK;
    if (has_marker && strcmp(writer, "builtin") == 0)
        return OT_OK;
    if (has_marker)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: a recording of the writer '%s': only those of the built-in writer "
                          "can be watched",
                          folder, writer);
    if (any_log(folder, ot_oplog_is_log))
        return OT_OK;
    return ot_err_set(err, OT_ERR_INPUT, "%s: not a recording of optally", folder);
}

/* --- the newest one ----------------------------------------------------------------------------
 */

bool ot_top_is_fresh(const char *folder)
{
    enum { FRESH_S = 25 }; /* the recorder adds to the file every 10 seconds */
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof(path), "%s/" OT_OPLOG_CLOCK_FILE, folder) >= (int)sizeof(path) ||
        stat(path, &status) < 0)
        return false;
    return time(NULL) - status.st_mtim.tv_sec < FRESH_S;
}

static bool is_of_a_running_process(const char *path)
{
    struct ot_oplog_file file;
    struct ot_err ignored;
    if (ot_oplog_file_open(&file, path, &ignored) < 0)
        return false;
    const char *slash = strrchr(path, '/');
    bool runs = ot_oplog_life(&file.header) == OT_OPLOG_RUNS &&
                ot_oplog_process_writes(file.header.pid, slash ? slash + 1 : path);
    ot_oplog_file_close(&file);
    return runs;
}

bool ot_top_is_written(const char *folder)
{
    return any_log(folder, is_of_a_running_process);
}

static bool is_there(const char *path)
{
    (void)path;
    return true;
}

static bool runs(const char *folder)
{
    char writer[32];
    struct ot_str command = {0};
    bool is_ours = read_marker(folder, writer, &command) == OT_OK && strcmp(writer, "builtin") == 0;
    ot_str_release(&command);
    return is_ours &&
           (ot_top_is_written(folder) || (!any_log(folder, is_there) && ot_top_is_fresh(folder)));
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

int ot_top_find(struct ot_str *ret_folder, struct ot_err *err)
{
    struct timespec newest = {0};
    DIR *dir = opendir(data_folder);
    if (!dir && errno != ENOENT)
        return ot_err_sys(err, OT_ERR_IO, "%s", data_folder);
    for (struct dirent *item; dir && (item = readdir(dir));) {
        char path[PATH_MAX];
        char marker[PATH_MAX + sizeof(OT_RECORDING_FILE)];
        struct stat status;
        snprintf(path, sizeof(path), "%s/%s", data_folder, item->d_name);
        snprintf(marker, sizeof(marker), "%s/" OT_RECORDING_FILE, path);
        if (stat(marker, &status) < 0 || !is_newer(&status.st_mtim, &newest) || !runs(path))
            continue;
        newest = status.st_mtim;
        ot_str_clear(ret_folder);
        ot_str_addf(ret_folder, "%s", path);
    }
    if (dir)
        closedir(dir);
    if (ret_folder->len == 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "no recording runs in %s: start one with optally record, or name its "
                          "folder",
                          data_folder);
    return OT_OK;
}
