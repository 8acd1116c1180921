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

int ot_parse_limit(const char *option, const char *value, int64_t *ret_limit, struct ot_err *err)
{
    if (strcmp(value, "all") == 0)
        *ret_limit = -1;
    else if (!ot_parse_number(value, ret_limit))
        return ot_err_set(err, OT_ERR_USAGE, "%s: '%s' is neither a number of rows nor 'all'",
                          option, value);
    return OT_OK;
}
