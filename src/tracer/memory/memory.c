/* memory.c: what LD_PRELOAD brings into a process beside the tracer when allocations are recorded:
 * the functions of libc10 through which PyTorch's allocators report.
 *
 * libc10 calls them through its own table of imports, so these here come first. Each passes the
 * call on, whoever else listens (torch.profiler does, behind the real ones), and hands what it saw
 * to the tracer. The CPU's allocator reports each block to ProfiledCPUMemoryReporter, always, but
 * not how large it is when it is released, hence the table (blocks.h). Other devices' allocators
 * call reportMemoryUsageToProfiler; so does ProfiledCPUMemoryReporter while torch.profiler runs,
 * which is not counted again.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracer/memory/blocks.h"
#include "tracer/status.h"

#define EXPORT __attribute__((visibility("default")))

/* c10::Device: by value, in one register. The same in PyTorch 1.12 to 2.14. */
struct device {
    int8_t type; /* c10::DeviceType */
    int8_t index;
};

enum { DEVICE_CPU = 0 };

/* Set by the constructor, then only read. `to_tracer` is NULL without the tracer, and then nothing
 * is done but to pass calls on. */
static void (*to_tracer)(int64_t bytes, int64_t total, int device_type, int device_index);
static struct ot_blocks *blocks;
static void *(*real_dlopen)(const char *, int);

/* A reporter's function that calls another one of these, or is interrupted by one. */
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

/* Also when a real one throws (std::bad_alloc), through us. */
static void leave(const bool *was_inside)
{
    is_inside = *was_inside;
}

#define OT_ENTER(name)                                                                             \
    bool name __attribute__((cleanup(leave))) = is_inside;                                         \
    is_inside = true

__attribute__((constructor)) static void find_tracer(void)
{
    real_dlopen = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    to_tracer = (void (*)(int64_t, int64_t, int, int))dlsym(RTLD_DEFAULT, "optally_tracer_memory");
    dlerror();
    if (!to_tracer)
        return;
    blocks = ot_blocks_new();
    if (!blocks) {
        to_tracer = NULL;
        ot_status_line("warning", "allocations are not recorded: %s", strerror(errno));
    }
}

/* A function that stands in for one of libc10's. */
struct stand_in {
    const char *symbol;
    const void *ours;
    _Atomic uintptr_t real; /* 0 until it is looked for */
};

/* libc10 is not in the global scope where Python has loaded it, so RTLD_NEXT alone does not find
 * it. The caller is libc10, or a library that needs it; it stays loaded from here on. */
static uintptr_t find_real(struct stand_in *stand_in, const void *caller)
{
    uintptr_t real = atomic_load_explicit(&stand_in->real, memory_order_relaxed);
    if (real)
        return real;
    Dl_info info;
    void *library = NULL;
    if (real_dlopen && dladdr(caller, &info) && info.dli_fname)
        library = real_dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        real = (uintptr_t)dlsym(library, stand_in->symbol);
    if (!real || real == (uintptr_t)stand_in->ours)
        real = (uintptr_t)dlsym(RTLD_NEXT, stand_in->symbol);
    dlerror(); /* what was not found is not the program's error */
    atomic_store_explicit(&stand_in->real, real, memory_order_relaxed);
    return real;
}

#define CALLER __builtin_return_address(0)

/* --- the CPU's allocator ------------------------------------------------------------------------
 */

#define NEW    "_ZN3c1025ProfiledCPUMemoryReporter3NewEPvm"
#define DELETE "_ZN3c1025ProfiledCPUMemoryReporter6DeleteEPv"

EXPORT void ot_reporter_new(void *reporter, void *block, size_t bytes) __asm__(NEW);
EXPORT void ot_reporter_delete(void *reporter, void *block) __asm__(DELETE);

void ot_reporter_new(void *reporter, void *block, size_t bytes)
{
    static struct stand_in self = {.symbol = NEW, .ours = (const void *)ot_reporter_new};
    int saved = errno;
    OT_ENTER(was_inside);
    void (*real)(void *, void *, size_t) =
        (void (*)(void *, void *, size_t))find_real(&self, CALLER);
    int64_t total;
    if (!was_inside && to_tracer && block && bytes > 0 &&
        ot_blocks_put(blocks, block, (int64_t)bytes, &total))
        to_tracer((int64_t)bytes, total, DEVICE_CPU, -1);
    errno = saved;
    if (real)
        real(reporter, block, bytes);
}

void ot_reporter_delete(void *reporter, void *block)
{
    static struct stand_in self = {.symbol = DELETE, .ours = (const void *)ot_reporter_delete};
    int saved = errno;
    OT_ENTER(was_inside);
    void (*real)(void *, void *) = (void (*)(void *, void *))find_real(&self, CALLER);
    int64_t total;
    int64_t bytes = !was_inside && to_tracer && block ? ot_blocks_take(blocks, block, &total) : 0;
    if (bytes > 0)
        to_tracer(-bytes, total, DEVICE_CPU, -1);
    errno = saved;
    if (real)
        real(reporter, block);
}

/* --- the other devices' -------------------------------------------------------------------------
 */

#define REPORT_SIGNED "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE" /* 1.x */
#define REPORT        "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"

EXPORT void ot_report_signed(void *block, int64_t bytes, int64_t allocated, int64_t reserved,
                             struct device device) __asm__(REPORT_SIGNED);
EXPORT void ot_report(void *block, int64_t bytes, size_t allocated, size_t reserved,
                      struct device device) __asm__(REPORT);

static void report(struct stand_in *self, const void *caller, void *block, int64_t bytes,
                   int64_t allocated, int64_t reserved, struct device device)
{
    int saved = errno;
    OT_ENTER(was_inside);
    void (*real)(void *, int64_t, int64_t, int64_t, struct device) =
        (void (*)(void *, int64_t, int64_t, int64_t, struct device))find_real(self, caller);
    if (!was_inside && to_tracer)
        to_tracer(bytes, allocated, device.type, device.index);
    errno = saved;
    if (real)
        real(block, bytes, allocated, reserved, device);
}

void ot_report_signed(void *block, int64_t bytes, int64_t allocated, int64_t reserved,
                      struct device device)
{
    static struct stand_in self = {.symbol = REPORT_SIGNED, .ours = (const void *)ot_report_signed};
    report(&self, CALLER, block, bytes, allocated, reserved, device);
}

void ot_report(void *block, int64_t bytes, size_t allocated, size_t reserved, struct device device)
{
    static struct stand_in self = {.symbol = REPORT, .ours = (const void *)ot_report};
    report(&self, CALLER, block, bytes, (int64_t)allocated, (int64_t)reserved, device);
}
