#include "cli/store_args.h"

#include <stdio.h>
#include <time.h>

#include "cli/numbers.h"

enum { NS_PER_S = 1000000000 };

int ot_parse_wait(const char *value, int64_t *ret_wait_ns, struct ot_err *err)
{
    int64_t seconds = 0;
    if (!ot_parse_number(value, &seconds) || seconds > INT32_MAX)
        return ot_err_set(err, OT_ERR_USAGE, "--wait: '%s' is not a number of seconds", value);
    *ret_wait_ns = seconds * NS_PER_S;
    return OT_OK;
}

void ot_moment(char ret_text[OT_MOMENT_BYTES], int64_t ns)
{
    struct tm utc;
    time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
    if (!gmtime_r(&seconds, &utc) ||
        strftime(ret_text, OT_MOMENT_BYTES, "%Y-%m-%d %H:%M:%SZ", &utc) == 0)
        snprintf(ret_text, OT_MOMENT_BYTES, "?");
}
