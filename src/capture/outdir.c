#include "capture/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/recording.h"
#include "capture/paths.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum { MAX_NAME = 100 };

/* "train" for `python3 my/train.py`; an inline script may end in ".py" too. */
static bool is_script(const char *arg)
{
    size_t len = strlen(arg);
    return len > 3 && strcmp(arg + len - 3, ".py") == 0 && strpbrk(arg, " \t\n;") == NULL;
}

void ot_outdir_default(char ret_path[PATH_MAX], char *const *command, int number)
{
    const char *name = base_name(command[0]);
    size_t len = strlen(name);
    for (int i = 1; command[i]; i++) {
        if (is_script(command[i])) {
            name = base_name(command[i]);
            len = strlen(name) - 3;
            break;
        }
    }
    char when[32];
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &local);
    if (len > MAX_NAME)
        len = MAX_NAME;
    int used = snprintf(ret_path, PATH_MAX, "optally-data/%s-%.*s", when, (int)len, name);
    if (number > 1)
        snprintf(ret_path + used, PATH_MAX - (size_t)used, "-%d", number);
}

static bool has_marker(const char *path)
{
    char marker[PATH_MAX + sizeof(OT_RECORDING_FILE)];
    snprintf(marker, sizeof(marker), "%s/" OT_RECORDING_FILE, path);
    return access(marker, F_OK) == 0;
}

static void remove_made_parents(const struct ot_outdir *out)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s", out->final);
    for (int i = 0; i < out->made_parents; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
        if (rmdir(path) < 0)
            break;
    }
}

static int make_parents(struct ot_outdir *out, struct ot_err *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s", out->final);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) == 0)
            out->made_parents++;
        else if (errno != EEXIST)
            return ot_err_sys(err, OT_ERR_IO, "%s", path);
        *slash = '/';
    }
    return OT_OK;
}

static void write_shell_word(FILE *file, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,@%+";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\''", file);
        else
            fputc(*word == '\n' ? ' ' : *word, file);
    }
    fputc('\'', file);
}

static int write_marker(struct ot_outdir *out, const char *writer, char *const *command,
                        struct ot_err *err)
{
    char path[PATH_MAX + sizeof(OT_RECORDING_FILE)];
    snprintf(path, sizeof(path), "%s/" OT_RECORDING_FILE, out->work);
    FILE *file = fopen(path, "wxe");
    if (!file)
        return ot_err_sys(err, errno == EEXIST ? OT_ERR_INPUT : OT_ERR_IO, "%s", path);
    out->has_marker = true;
    fprintf(file, "optally recording 1\nwriter %s\ncommand", writer);
    for (int i = 0; command[i]; i++) {
        fputc(' ', file);
        write_shell_word(file, command[i]);
    }
    fputc('\n', file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    return OT_OK;
}

/* Makes the folder to write to and notes its absolute path. */
static int make_work_dir(struct ot_outdir *out, bool force, struct ot_err *err)
{
    struct stat st;
    char made[PATH_MAX];
    bool is_there = lstat(out->final, &st) == 0;
    if (!is_there && errno != ENOENT)
        return ot_err_sys(err, OT_ERR_IO, "%s", out->final);
    if (!is_there) {
        if (make_parents(out, err) < 0)
            return OT_ERR_IO;
        if (mkdir(out->final, 0777) < 0)
            return ot_err_sys(err, errno == EEXIST ? OT_ERR_INPUT : OT_ERR_IO, "%s", out->final);
        out->made = true;
        snprintf(made, sizeof(made), "%s", out->final);
    } else if (S_ISDIR(st.st_mode) && ot_paths_is_empty_folder(out->final)) {
        snprintf(made, sizeof(made), "%s", out->final);
    } else if (!force) {
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s exists: choose another with -o, or replace it "
                          "with --force",
                          out->final);
    } else if (!S_ISDIR(st.st_mode) || !has_marker(out->final)) {
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s is not a recording of optally, and --force "
                          "replaces nothing else: choose another with -o",
                          out->final);
    } else {
        /* Beside it, and "." has nothing beside it but by its real name. */
        if (!realpath(out->final, out->target))
            return ot_err_sys(err, OT_ERR_IO, "%s", out->final);
        if (snprintf(made, sizeof(made), "%s.new-XXXXXX", out->target) >= PATH_MAX)
            return ot_err_set(err, OT_ERR_IO, "%s: the path is too long", out->final);
        if (!mkdtemp(made) || chmod(made, st.st_mode & 07777) < 0)
            return ot_err_sys(err, OT_ERR_IO, "%s", made);
        out->made = true;
        out->replaces = true;
    }
    if (!realpath(made, out->work))
        return ot_err_sys(err, OT_ERR_IO, "%s", made);
    return OT_OK;
}

int ot_outdir_claim(struct ot_outdir *out, const char *path, bool force, const char *writer,
                    char *const *command, struct ot_err *err)
{
    memset(out, 0, sizeof(*out));
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || len + sizeof(".new-XXXXXX") >= PATH_MAX)
        return ot_err_set(err, OT_ERR_INPUT, "'%s' cannot be the name of a folder", path);
    memcpy(out->final, path, len);

    int rc = make_work_dir(out, force, err);
    if (rc == OT_OK)
        rc = write_marker(out, writer, command, err);
    if (rc < 0)
        ot_outdir_abandon(out);
    return rc;
}

int ot_outdir_keep(struct ot_outdir *out, struct ot_err *err)
{
    if (!out->replaces)
        return OT_OK;
    char old[PATH_MAX];
    snprintf(old, sizeof(old), "%.*s.old-XXXXXX", PATH_MAX - 16, out->target);
    if (!mkdtemp(old))
        return ot_err_sys(err, OT_ERR_IO, "%s; the recording is in %s", old, out->work);
    if (rename(out->target, old) < 0) {
        int rc = ot_err_sys(err, OT_ERR_IO, "%s cannot be replaced; the recording is in %s",
                            out->final, out->work);
        rmdir(old);
        return rc;
    }
    if (rename(out->work, out->target) < 0) {
        int rc = ot_err_sys(err, OT_ERR_IO, "%s cannot be put in place; the recording is there",
                            out->work);
        if (rename(old, out->target) < 0)
            ot_err_context(err, "the recording before is in %s", old);
        return rc;
    }
    ot_paths_remove_tree(old);
    return OT_OK;
}

void ot_outdir_abandon(struct ot_outdir *out)
{
    /* Without our marker what is in it belongs to somebody else, who was quicker. */
    if (out->has_marker)
        ot_paths_empty_tree(out->work);
    if (out->made && out->work[0] != '\0')
        rmdir(out->work);
    remove_made_parents(out);
}
