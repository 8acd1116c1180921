/* What a process needs to write a log of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "cli/doctor.h"

void ot_doctor_clock(struct ot_patient *patient)
{
    static const char *const clocks[] = {
        [OT_OPLOG_CLOCK_TSC] = "the processor's time stamp counter",
        [OT_OPLOG_CLOCK_CNTVCT] = "the processor's virtual counter",
        [OT_OPLOG_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC (the processor's counter is not to be "
                                     "relied on here; recording costs somewhat more)",
    };
    (void)patient;
    ot_doctor_good("clock: %s", clocks[ot_tick_clock_choose()]);
}

/* Logs are mapped, which some network file systems do not allow. */
void ot_doctor_room(struct ot_patient *patient)
{
    char path[] = "./optally-doctor-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) {
        ot_doctor_warn("the current folder cannot be written to (%s): record with -o "
                       "elsewhere",
                       strerror(errno));
        return;
    }
    unlink(path);
    void *memory = MAP_FAILED;
    if (ftruncate(fd, OT_OPLOG_CHUNK_BYTES) == 0)
        memory = mmap(NULL, OT_OPLOG_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        ot_doctor_missing(
            patient,
            "shared mappings of files in the current folder (%s): record with -o on a "
            "local disk",
            strerror(errno));
    else
        ot_doctor_good("files of the current folder can be mapped");
    if (memory != MAP_FAILED)
        munmap(memory, OT_OPLOG_CHUNK_BYTES);
    close(fd);
}

/* Linux 4.14. What a forked child must not go on with is memory that it finds empty. */
void ot_doctor_wipe(struct ot_patient *patient)
{
    long size = sysconf(_SC_PAGESIZE);
    void *memory =
        mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool wipes = memory != MAP_FAILED && madvise(memory, (size_t)size, MADV_WIPEONFORK) == 0;
    if (memory != MAP_FAILED)
        munmap(memory, (size_t)size);
    if (wipes)
        ot_doctor_good("forked processes begin a log of their own");
    else
        ot_doctor_missing(patient,
                          "memory that is wiped in a forked process (MADV_WIPEONFORK): a Linux "
                          "kernel from 4.14 on");
}
