#include "store/sql_cap.h"

#include <stdio.h>
#include <unistd.h>

/* What RLIMIT_DATA is held against: what is private and can be written. Unlike the address space
 * it has no part in what libraries only reserve. */
static int read_data_bytes(rlim_t *ret_bytes, struct ot_err *err)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    bool is_told = file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) == 1;
    if (file)
        fclose(file);
    if (!is_told)
        return ot_err_set(err, OT_ERR_IO, "/proc/self/statm does not say what memory there is");
    *ret_bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    return OT_OK;
}

int ot_sql_cap_begin(struct ot_sql_cap *cap, int64_t bytes, struct ot_err *err)
{
    rlim_t data_bytes = 0;
    int code = read_data_bytes(&data_bytes, err);
    if (code < 0)
        return code;
    if (getrlimit(RLIMIT_DATA, &cap->before) < 0)
        return ot_err_sys(err, OT_ERR_IO, "the memory limit cannot be read");
    struct rlimit limit = cap->before;
    rlim_t all_bytes = data_bytes + (rlim_t)bytes;
    if (all_bytes < limit.rlim_cur)
        limit.rlim_cur = all_bytes;
    if (setrlimit(RLIMIT_DATA, &limit) < 0)
        return ot_err_sys(err, OT_ERR_IO, "the memory limit cannot be set");
    cap->is_on = true;
    return OT_OK;
}

void ot_sql_cap_end(struct ot_sql_cap *cap)
{
    if (cap->is_on)
        setrlimit(RLIMIT_DATA, &cap->before);
    cap->is_on = false;
}
