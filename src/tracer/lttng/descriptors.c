#include "tracer/lttng/descriptors.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>

/* Two per processor and channel, and a few. What is beyond is left to itself. */
enum { HIGHEST = 4096 };

static struct owned {
    bool is_owned;
    bool is_stale; /* it was LTTng-UST's before the fork, and is closed or something else now */
    dev_t dev;
    ino_t ino;
} owned[HIGHEST];
static _Atomic bool is_sparing;

/* liblttng-ust-common, src/common/ust-fd.c: refuses a descriptor of LTTng-UST's, else calls back.
 */
static int (*safe_close_fd)(int fd, int (*close_fn)(int fd));

void ot_descriptors_init(void)
{
    void *library = dlopen("liblttng-ust-common.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        safe_close_fd = (int (*)(int, int (*)(int)))dlsym(library, "lttng_ust_safe_close_fd");
}

static int close_nothing(int fd)
{
    (void)fd;
    return 0;
}

void ot_descriptors_note(void)
{
    for (int fd = 3; safe_close_fd && fd < HIGHEST; fd++) {
        struct stat st;
        owned[fd] = (struct owned){.is_owned = false};
        if (safe_close_fd(fd, close_nothing) != 0 && fstat(fd, &st) == 0)
            owned[fd] = (struct owned){.is_owned = true, .dev = st.st_dev, .ino = st.st_ino};
    }
}

void ot_descriptors_begin_sparing(void)
{
    for (int fd = 3; fd < HIGHEST; fd++) {
        struct stat st;
        if (owned[fd].is_owned)
            owned[fd].is_stale =
                fstat(fd, &st) < 0 || st.st_dev != owned[fd].dev || st.st_ino != owned[fd].ino;
    }
    atomic_store(&is_sparing, true);
}

void ot_descriptors_end_sparing(void)
{
    atomic_store(&is_sparing, false);
}

bool ot_descriptors_spare(int fd)
{
    return atomic_load_explicit(&is_sparing, memory_order_relaxed) && fd >= 0 && fd < HIGHEST &&
           owned[fd].is_stale;
}
