/* output.h: what every verb that prints owes to whoever reads its standard output. */
#ifndef OT_CLI_OUTPUT_H
#define OT_CLI_OUTPUT_H

#include "base/err.h"
#include "model/counts.h"
#include "model/warnings.h"

/* Prints `text` to stdout; returns the exit status. */
int ot_print_usage(const char *verb, const char *text);

/* Flushes stdout. Returns `status`, or OT_EXIT_FAILED after a line on stderr if not everything
 * could be written. */
int ot_finish_output(const char *verb, int status);

/* Ends the process in silence when the reader of stdout has gone (`| head`), also where the
 * parent ignores SIGPIPE. Not for verbs that run other programs. */
void ot_quit_on_closed_pipe(void);

/* What getopt_long() says with ':' or '?' of the last argument: OT_ERR_USAGE. */
int ot_option_fault(int c, const char *verb, char **argv, struct ot_err *err);

/* What was odd about the inputs: a line on stderr for each kind. */
void ot_tell_warnings(const char *verb, const struct ot_warnings *warnings);

/* The same of `input`, if that is not NULL; then, if numbers are lower bounds, a line that says
 * why. */
void ot_tell_incomplete(const char *verb, const char *input, const struct ot_warnings *warnings,
                        const struct ot_counts *counts);

/* The exit status for a failure `code`. */
int ot_failed_status(int code);

/* The same, after a line on stderr. */
int ot_fail(const char *verb, int code, const struct ot_err *err);

#endif
