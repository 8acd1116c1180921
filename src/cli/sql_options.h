/* sql_options.h: the command line of `optally sql`. */
#ifndef OT_CLI_SQL_OPTIONS_H
#define OT_CLI_SQL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "store/store.h"

extern const char ot_sql_usage[];

struct ot_sql_args {
    const char *query;
    const char *file;   /* that the query is in */
    const char *output; /* NULL: standard output */
    struct ot_input_opts store;
    enum ot_sql_format format;
    bool has_format;
    int64_t limit;
    struct ot_sql_limits limits;
    enum ot_color color;
    bool json; /* asked for, also where the rest of the command line makes no sense */
    bool help;
};

/* OT_ERR_USAGE. `args` is filled in as far as it was read, also then. */
int ot_sql_parse(int argc, char **argv, struct ot_sql_args *args, struct ot_err *err);

#endif
