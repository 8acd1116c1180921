#include "cli/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool ot_parse_number(const char *value, int64_t *ret_number)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (errno || end == value || *end != '\0' || number < 0)
        return false;
    *ret_number = number;
    return true;
}

bool ot_parse_size(const char *value, uint64_t *ret_bytes)
{
    static const struct {
        const char *suffix;
        int shift;
    } units[] = {{"", 0}, {"K", 10}, {"M", 20}, {"G", 30}};
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    bool is_number = errno == 0 && end != value && value[0] >= '0' && value[0] <= '9';
    for (size_t i = 0; is_number && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].suffix) != 0 || number > UINT64_MAX >> units[i].shift)
            continue;
        *ret_bytes = (uint64_t)number << units[i].shift;
        return true;
    }
    return false;
}

int ot_parse_limit(const char *option, const char *value, int64_t *ret_limit, struct ot_err *err)
{
    if (strcmp(value, "all") == 0)
        *ret_limit = -1;
    else if (!ot_parse_number(value, ret_limit))
        return ot_err_set(err, OT_ERR_USAGE, "%s: '%s' is neither a number of rows nor 'all'",
                          option, value);
    return OT_OK;
}
