/* options.h: the walk along a verb's command line. */
#ifndef OT_CLI_OPTIONS_H
#define OT_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ot_options {
    const char *verb;
    const char *shorts;         /* of getopt_long(); NULL: -h alone */
    const struct option *longs; /* likewise; --help is 'h' */

    /* Takes an option other than --help, its value in optarg. */
    int (*take)(int c, void *args, struct ot_err *err);
};

/* Hands all options to `take`; then optind is at what is none. With --help nothing behind it is
 * looked at. OT_ERR_USAGE: an option that is none, or lacks its value; and whatever `take` says. */
int ot_options_walk(const struct ot_options *options, int argc, char **argv, void *args,
                    bool *ret_help, struct ot_err *err);

/* After the walk: what is no option are INPUTs. OT_ERR_USAGE: there is none. */
int ot_options_inputs(const struct ot_options *options, int argc, char **argv,
                      const char *const **ret_inputs, size_t *ret_n, struct ot_err *err);

#endif
