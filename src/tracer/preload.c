/* preload.c: what LD_PRELOAD brings into a process: a dlopen that looks for PyTorch, and nothing
 * else until it comes. close and shm_open step in for LTTng-UST's sake and pass everything else on.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tracer_env.h"
#include "tracer/attach.h"
#include "tracer/builtin/writer.h"
#include "tracer/preload.h"
#include "tracer/status.h"

#define EXPORT __attribute__((visibility("default")))

/* Constructors of other libraries may call dlopen before ours ran, so it is looked up on demand;
 * two threads that race store the same value. */
static void *(*real_dlopen)(const char *, int);
static int (*real_shm_open)(const char *, int, mode_t);
static int (*real_close)(int);

static bool (*_Atomic spares_fd)(int fd);

static __thread int dlopen_depth __attribute__((tls_model("initial-exec")));

static void find_real(void)
{
    if (!real_dlopen)
        real_dlopen = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    if (!real_close)
        real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
}

/* libtorch comes as a dependency of something that is opened by its path. A bare name, or a path
 * with $ORIGIN in it, is resolved against the caller's RUNPATH, and the dynamic linker knows the
 * caller by the return address: such a call has to be a jump. (This file is always optimised, so
 * that it is one.) */
EXPORT void *dlopen(const char *path, int flags)
{
    find_real();
    if (!path || !strchr(path, '/') || strchr(path, '$'))
        return real_dlopen(path, flags);

    dlopen_depth++;
    void *handle = real_dlopen(path, flags);
    dlopen_depth--;
    if (handle && dlopen_depth == 0)
        ot_attach_if_torch(real_dlopen);
    return handle;
}

void ot_preload_spare(bool (*spares)(int fd))
{
    atomic_store(&spares_fd, spares);
}

EXPORT int close(int fd)
{
    bool (*spares)(int) = atomic_load_explicit(&spares_fd, memory_order_relaxed);
    if (spares && spares(fd))
        return 0;
    find_real();
    return real_close(fd);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    static const char wait_object[] = "/lttng-ust-wait-";
    const char *folder = getenv(OT_ENV_LTTNG_WAIT_DIR);
    if (folder && strncmp(name, wait_object, sizeof(wait_object) - 1) == 0) {
        char path[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s%s", folder, name);
        if (len > 0 && (size_t)len < sizeof(path))
            return open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
    }
    if (!real_shm_open)
        real_shm_open = (int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, "shm_open");
    return real_shm_open(name, flags, mode);
}

/* A program that is linked against libtorch never opens it. */
__attribute__((constructor)) static void look_at_start(void)
{
    find_real();
    ot_status_open();
    ot_builtin_loaded();
    ot_attach_if_torch(real_dlopen);
}
