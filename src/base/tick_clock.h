/* tick_clock.h: the clock of the operator log (base/oplog.h), for whoever writes one.
 *
 * The tracer and the recorder choose by the same rule, so that moments which the one takes hold for
 * what the other has written; where their surroundings differ (a container in a recording), the
 * kinds do, and both are written down. Ticks are of the whole machine, as long as it runs: the
 * moments of all processes lie on one line.
 *
 * Nothing here allocates. Any thread; errno is kept.
 */
#ifndef OT_BASE_TICK_CLOCK_H
#define OT_BASE_TICK_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "base/oplog.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#define OT_TICK_CLOCK_HARDWARE OT_OPLOG_CLOCK_TSC
#elif defined(__aarch64__)
#define OT_TICK_CLOCK_HARDWARE OT_OPLOG_CLOCK_CNTVCT
#else
#define OT_TICK_CLOCK_HARDWARE OT_OPLOG_CLOCK_MONOTONIC
#endif

/* The processor's counter if it counts alike on every processor, whatever their frequency and
 * sleep, and this process may read it; else CLOCK_MONOTONIC. Opens a file of /sys for a moment. */
enum ot_oplog_clock_kind ot_tick_clock_choose(void);

/* The counter, wherever that is what was chosen. Not ordered against what stands around it: that
 * would cost more than the few instructions by which it is off. */
static inline uint64_t ot_tick_clock_hardware(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

static inline int64_t ot_tick_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline uint64_t ot_tick_clock_read(enum ot_oplog_clock_kind kind)
{
    return kind == OT_OPLOG_CLOCK_MONOTONIC ? (uint64_t)ot_tick_clock_ns(CLOCK_MONOTONIC)
                                            : ot_tick_clock_hardware();
}

enum { OT_BOOT_ID_BYTES = sizeof(((struct ot_oplog_header *)0)->boot_id) };

/* What tells one run of the machine from another; "" where nobody says. */
void ot_boot_id_read(char ret_id[OT_BOOT_ID_BYTES]);

/* One moment on all three clocks, as close together as a few tries bring them. */
struct ot_oplog_moment ot_tick_clock_moment(enum ot_oplog_clock_kind kind);

#endif
