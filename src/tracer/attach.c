#include "tracer/attach.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tracer_env.h"
#include "tracer/hooks.h"
#include "tracer/preload.h"
#include "tracer/probe.h"
#include "tracer/status.h"

/* One attachment per process; written by the thread that wins `taken`, then only read. */
static struct ot_torch torch;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static _Atomic bool finished;
static _Atomic unsigned long long libraries_seen; /* dlpi_adds at the last look */

static bool is_below(const char *path, const char *folder)
{
    char real_path[PATH_MAX];
    char real_folder[PATH_MAX];
    if (!realpath(path, real_path) || !realpath(folder, real_folder))
        return false;
    size_t len = strlen(real_folder);
    return strncmp(real_path, real_folder, len) == 0 &&
           (real_path[len] == '/' || real_folder[len - 1] == '/');
}

static bool is_allowed(const char *path)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    const char *folder = getenv(OT_ENV_LIBRARY_PATH);
    if (!folder)
        folder = getenv(OT_ENV_LIBRARY_PATH_THAPI);
    if (!folder || folder[0] == '\0' || is_below(path, folder))
        return true;
    if (!atomic_flag_test_and_set(&is_told))
        ot_status_line("refused", "%s is not below %s", path, folder);
    return false;
}

struct search {
    bool nothing_new;
    bool first;
    char path[PATH_MAX];
};

static int look_at_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    if (search->first && size >= offsetof(struct dl_phdr_info, dlpi_subs)) {
        search->first = false;
        if (atomic_exchange(&libraries_seen, info->dlpi_adds) == info->dlpi_adds) {
            search->nothing_new = true;
            return 1;
        }
    }
    const char *slash = strrchr(info->dlpi_name, '/');
    if (!slash || strncmp(slash + 1, "libtorch_cpu.so", strlen("libtorch_cpu.so")) != 0)
        return 0;
    if (snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name) >=
        (int)sizeof(search->path))
        search->path[0] = '\0';
    return 1;
}

static unsigned scope_mask(void)
{
    const char *text = getenv(OT_ENV_SCOPES);
    return text ? (unsigned)strtoul(text, NULL, 16) : OT_SCOPES_DEFAULT;
}

/* The modules lie beside this library. */
static bool find_lib_dir(char *ret_dir, size_t size)
{
    Dl_info info;
    char path[PATH_MAX]; /* LD_PRELOAD may have named a link */
    if (!dladdr((void *)ot_attach_if_torch, &info) || !info.dli_fname ||
        !realpath(info.dli_fname, path))
        return false;
    const char *slash = strrchr(path, '/');
    int len = snprintf(ret_dir, size, "%.*s", (int)(slash - path), path);
    return len > 0 && (size_t)len < size;
}

static int attach(const char *path, void *(*dlopen_fn)(const char *, int), struct ot_err *err)
{
    const char *writer_name = getenv(OT_ENV_WRITER);
    const struct ot_writer *writer = NULL;
    char lib_dir[PATH_MAX];
    if (!writer_name)
        writer_name = "builtin";
    if (!find_lib_dir(lib_dir, sizeof(lib_dir)))
        return ot_err_set(err, OT_ERR_MISSING, "the tracer cannot find its own folder");

    int rc = ot_torch_resolve(&torch, path, dlopen_fn, err);
    if (rc < 0)
        return rc;
    if (!ot_torch_version_known(torch.version))
        ot_status_line("warning",
                       "PyTorch %s is outside the range that this tracer knows (1.13 to 2.14)",
                       torch.version[0] ? torch.version : "of unknown version");
    rc = ot_probe_run(&torch, err);
    if (rc < 0)
        return rc;
    rc = ot_writer_open(writer_name, &torch, lib_dir, dlopen_fn, &writer, err);
    if (rc < 0)
        return rc;
    if (writer && writer->spares_fd)
        ot_preload_spare(writer->spares_fd);
    if (strcmp(writer_name, "probe") != 0)
        ot_hooks_register(&torch, writer, scope_mask());
    return OT_OK;
}

void ot_attach_if_torch(void *(*dlopen_fn)(const char *, int))
{
    if (atomic_load_explicit(&finished, memory_order_relaxed))
        return;
    struct search search = {.first = true};
    if (dl_iterate_phdr(look_at_library, &search) == 0 || search.nothing_new ||
        search.path[0] == '\0' || !is_allowed(search.path))
        return;
    if (atomic_flag_test_and_set(&taken))
        return;
    atomic_store(&finished, true);

    struct ot_err err;
    if (attach(search.path, dlopen_fn, &err) < 0)
        ot_status_line("refused", "%s", err.msg);
    else
        ot_status_line("attached", "version=%s overloads=%s sequence=%td path=%s",
                       torch.version[0] ? torch.version : "unknown",
                       torch.overload_name ? "exported" : "operator_name", torch.sequence_offset,
                       search.path);
    /* Optional symbols that were not there left an error text that is not the program's. */
    dlerror();
}
