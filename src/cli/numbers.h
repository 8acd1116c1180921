/* numbers.h: numbers of a command line. */
#ifndef OT_CLI_NUMBERS_H
#define OT_CLI_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* False unless all of `value` is a whole number, 0 or more, that fits. */
bool ot_parse_number(const char *value, int64_t *ret_number);

/* A number of bytes; K, M and G may follow it. False unless all of `value` is one that fits. */
bool ot_parse_size(const char *value, uint64_t *ret_bytes);

/* A number of rows; "all" is -1. OT_ERR_USAGE names the option. */
int ot_parse_limit(const char *option, const char *value, int64_t *ret_limit, struct ot_err *err);

#endif
