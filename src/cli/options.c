#include "cli/options.h"

#include "cli/output.h"

int ot_options_walk(const struct ot_options *options, int argc, char **argv, void *args,
                    bool *ret_help, struct ot_err *err)
{
    const char *shorts = options->shorts ? options->shorts : ":h";
    int code = OT_OK;
    opterr = 0;
    for (int c;
         code == OT_OK && (c = getopt_long(argc, argv, shorts, options->longs, NULL)) != -1;) {
        if (c == 'h') {
            *ret_help = true;
            return OT_OK;
        }
        code = c == ':' || c == '?' ? ot_option_fault(c, options->verb, argv, err)
                                    : options->take(c, args, err);
    }
    return code;
}

int ot_options_inputs(const struct ot_options *options, int argc, char **argv,
                      const char *const **ret_inputs, size_t *ret_n, struct ot_err *err)
{
    *ret_inputs = (const char *const *)argv + optind;
    *ret_n = (size_t)(argc - optind);
    return *ret_n ? OT_OK
                  : ot_err_set(err, OT_ERR_USAGE, "no INPUT given (see optally %s --help)",
                               options->verb);
}
