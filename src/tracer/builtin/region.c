#include "tracer/builtin/region.h"

#include <sys/mman.h>

void *ot_region_new(size_t bytes)
{
    void *region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED)
        return NULL;
    madvise(region, bytes, MADV_WIPEONFORK);
    return region;
}

void ot_region_free(void *region, size_t bytes)
{
    if (region)
        munmap(region, bytes);
}

bool ot_region_wipes(void)
{
    enum { BYTES = 1 };
    void *region = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED)
        return false;
    bool wipes = madvise(region, BYTES, MADV_WIPEONFORK) == 0;
    munmap(region, BYTES);
    return wipes;
}
