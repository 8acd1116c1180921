/* failure.h: how a verb that prints JSON fails. */
#ifndef OT_CLI_FAILURE_H
#define OT_CLI_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ot_cli_failure {
    const char *verb;
    int code;
    const struct ot_err *err;
    bool json; /* JSON was asked for */
    const char *const *inputs;
    size_t n_inputs;
    bool is_told;       /* the line on stderr is there already */
    const char *remedy; /* NULL: the usual one */
};

/* True if --json is among the arguments: who asked for JSON gets errors as JSON, too, whatever else
 * is wrong with the command line. */
bool ot_asks_for_json(int argc, char **argv);

/* The exit status, after a line on stderr and, where JSON was asked for, the object on stdout. */
int ot_fail_as_asked(const struct ot_cli_failure *failure);

/* The same for a verb that looks at a store: what may help is about that. */
int ot_store_fail(const char *verb, int code, const struct ot_err *err, bool json);

#endif
