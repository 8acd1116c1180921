#include "base/tick_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__)

#include <cpuid.h>

/* Intel's SDM, volume 3B, 18.17.1, and AMD's APM, volume 2, 13.2: CPUID 80000007h, EDX. */
enum { INVARIANT_TSC = 1 << 8 };

/* The kernel takes the counter off this list when it sees that it is not the same on every
 * processor. Where there is no list (some sandboxes), nobody has looked. */
static bool kernel_trusts_it(void)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    char list[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t len = read(fd, list, sizeof(list) - 1);
    close(fd);
    if (len <= 0)
        return false;
    list[len] = '\0';
    for (const char *at = list; *at != '\0';) {
        size_t word_len = strcspn(at, " \n");
        if (word_len == 3 && memcmp(at, "tsc", 3) == 0)
            return true;
        at += word_len;
        at += strspn(at, " \n");
    }
    return false;
}

static bool has_counter(void)
{
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;
    int mode = PR_TSC_ENABLE;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & INVARIANT_TSC))
        return false;
    if (prctl(PR_GET_TSC, &mode) == 0 && mode != PR_TSC_ENABLE)
        return false;
    return kernel_trusts_it();
}

#else

/* aarch64's is invariant by its architecture (ARM DDI 0487, D12.1). */
static bool has_counter(void)
{
    return OT_TICK_CLOCK_HARDWARE != OT_OPLOG_CLOCK_MONOTONIC;
}

#endif

enum ot_oplog_clock_kind ot_tick_clock_choose(void)
{
    int saved_errno = errno;
    bool chosen = has_counter();
    errno = saved_errno;
    return chosen ? OT_TICK_CLOCK_HARDWARE : OT_OPLOG_CLOCK_MONOTONIC;
}

struct ot_oplog_moment ot_tick_clock_moment(enum ot_oplog_clock_kind kind)
{
    enum { TRIES = 8 };
    struct ot_oplog_moment best = {0};
    uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = ot_tick_clock_read(kind);
        int64_t monotonic_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
        uint64_t after = ot_tick_clock_read(kind);
        int64_t realtime_ns = ot_tick_clock_ns(CLOCK_REALTIME);
        uint64_t width = after - before;
        if (width >= best_width)
            continue;
        best_width = width;
        best.ticks = kind == OT_OPLOG_CLOCK_MONOTONIC ? (uint64_t)monotonic_ns : before + width / 2;
        best.monotonic_ns = monotonic_ns;
        best.realtime_ns = realtime_ns;
    }
    return best;
}

void ot_boot_id_read(char ret_id[OT_BOOT_ID_BYTES])
{
    int saved_errno = errno;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, ret_id, OT_BOOT_ID_BYTES - 1) : 0;
    if (fd >= 0)
        close(fd);
    ret_id[len > 0 ? len : 0] = '\0';
    ret_id[strcspn(ret_id, "\n")] = '\0';
    errno = saved_errno;
}
