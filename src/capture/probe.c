#include "capture/probe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tracer_env.h"
#include "capture/paths.h"
#include "capture/preload.h"

/* Starts argv with its output to be read. NULL: it could not be started. */
static FILE *start(const char *const *argv, pid_t *ret_pid)
{
    int out[2];
    if (pipe2(out, O_CLOEXEC) < 0)
        return NULL;
    *ret_pid = fork();
    if (*ret_pid == 0) {
        int in = open("/dev/null", O_RDONLY);
        if (in >= 0 && dup2(in, 0) >= 0 && dup2(out[1], 1) >= 0 && dup2(out[1], 2) >= 0)
            execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(out[1]);
    FILE *stream = *ret_pid > 0 ? fdopen(out[0], "r") : NULL;
    if (!stream)
        close(out[0]);
    return stream;
}

static int finish(FILE *stream, pid_t pid)
{
    int status;
    fclose(stream);
    if (waitpid(pid, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int ot_capture_last_line(const char *const *argv, char *ret_line, size_t size)
{
    pid_t pid;
    char line[1024];
    ret_line[0] = '\0';
    FILE *stream = start(argv, &pid);
    if (!stream)
        return -1;
    while (fgets(line, sizeof(line), stream)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            snprintf(ret_line, size, "%s", line);
    }
    return finish(stream, pid);
}

/* ld.so(8): with LD_TRACE_LOADED_OBJECTS it lists what a program needs instead of running it. */
static bool can_preload(const char *path, char *ret_lacking, size_t size)
{
    static const char *const complaints[] = {"not found", "cannot be preloaded", "cannot open"};
    char preload[PATH_MAX + 32];
    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", path);
    const char *const argv[] = {"env", "LD_TRACE_LOADED_OBJECTS=1", preload, "true", NULL};
    pid_t pid;
    char line[1024];
    bool is_fine = true;
    FILE *stream = start(argv, &pid);
    snprintf(ret_lacking, size, "env(1) does not run");
    if (!stream)
        return false;
    while (fgets(line, sizeof(line), stream)) {
        for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
            if (is_fine && strstr(line, complaints[i])) {
                const char *text = line + strspn(line, " \t");
                snprintf(ret_lacking, size, "%.*s", (int)strcspn(text, "\n"), text);
                is_fine = false;
            }
        }
    }
    finish(stream, pid);
    return is_fine;
}

bool ot_capture_can_load(const char *lib_dir, const char *library, char *ret_lacking, size_t size)
{
    struct ot_err err;
    char run_dir[PATH_MAX];
    char path[PATH_MAX];
    bool is_fine = false;
    if (ot_paths_make_run_dir(run_dir, &err) < 0) {
        snprintf(ret_lacking, size, "%s", err.msg);
        return false;
    }
    if (ot_preload_path(path, lib_dir, library, run_dir, &err) < 0)
        snprintf(ret_lacking, size, "%s", err.msg);
    else
        is_fine = can_preload(path, ret_lacking, size);
    ot_paths_remove_tree(run_dir);
    return is_fine;
}

static int run_interpreter(const char *const *interpreter, const char *tracer,
                           const char *status_path, struct ot_err *err)
{
    size_t count = 0;
    while (interpreter[count])
        count++;
    const char **argv = calloc(count + 3, sizeof(*argv));
    if (!argv)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory");
    memcpy(argv, interpreter, count * sizeof(*argv));
    argv[count] = "-c";
    argv[count + 1] = "import torch";

    char *preload = getenv("LD_PRELOAD");
    char *saved = preload ? strdup(preload) : NULL;
    setenv(OT_ENV_WRITER, "probe", 1);
    setenv(OT_ENV_STATUS, status_path, 1);
    ot_preload_set(tracer);
    char line[512];
    int status = ot_capture_last_line(argv, line, sizeof(line));
    unsetenv(OT_ENV_WRITER);
    unsetenv(OT_ENV_STATUS);
    if (saved)
        setenv("LD_PRELOAD", saved, 1);
    else
        unsetenv("LD_PRELOAD");
    free(saved);
    free((void *)argv);
    if (status != 0)
        return ot_err_set(err, OT_ERR_MISSING, "%s", line[0] ? line : "it did not run");
    return OT_OK;
}

int ot_capture_probe(const char *const *interpreter, const char *lib_dir,
                     struct ot_tracer_status *ret_status, struct ot_err *err)
{
    char run_dir[PATH_MAX];
    char tracer[PATH_MAX];
    char status_path[PATH_MAX];
    int rc = ot_paths_make_run_dir(run_dir, err);
    if (rc < 0)
        return rc;
    snprintf(status_path, sizeof(status_path), "%.4000s/tracer-status", run_dir);
    rc = ot_preload_path(tracer, lib_dir, OT_TRACER_LIBRARY, run_dir, err);
    if (rc == OT_OK)
        rc = ot_tracer_status_create(status_path, err);
    if (rc == OT_OK)
        rc = run_interpreter(interpreter, tracer, status_path, err);
    if (rc == OT_OK)
        rc = ot_tracer_status_read(status_path, ret_status, err);
    ot_paths_remove_tree(run_dir);
    return rc;
}
