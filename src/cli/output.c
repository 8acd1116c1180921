#include "cli/output.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "emit/notes/notes.h"

int ot_print_usage(const char *verb, const char *text)
{
    fputs(text, stdout);
    return ot_finish_output(verb, OT_EXIT_OK);
}

int ot_finish_output(const char *verb, int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    ot_complain_of_error(verb, "cannot write the output: %s", strerror(errno ? errno : EIO));
    return OT_EXIT_FAILED;
}

void ot_quit_on_closed_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
}

int ot_failed_status(int code)
{
    return code == OT_ERR_USAGE ? OT_EXIT_MISUSED : OT_EXIT_FAILED;
}

int ot_fail(const char *verb, int code, const struct ot_err *err)
{
    ot_complain_of_error(verb, "%s", err->msg);
    return ot_failed_status(code);
}

int ot_option_fault(int c, const char *verb, char **argv, struct ot_err *err)
{
    const char *option = argv[optind - 1];
    if (c == ':')
        return ot_err_set(err, OT_ERR_USAGE, "%s needs a value", option);
    return ot_err_set(err, OT_ERR_USAGE, "'%s' is no option (see optally %s --help)", option, verb);
}

static void tell_warnings(const char *verb, struct ot_text of, const struct ot_warnings *warnings)
{
    char before[OT_NOTES_PREFIX_BYTES / 2];
    char word[OT_NOTES_PREFIX_BYTES];
    struct ot_str prefix = {0};
    struct ot_look look;
    snprintf(before, sizeof(before), "optally %s: ", verb);
    ot_tty_look_stderr(&look);
    ot_notes_warning_prefix(word, before, &look);
    ot_str_addf(&prefix, "%s", word);
    ot_str_add_text(&prefix, of);
    ot_notes_write_warnings(warnings, ot_str_borrow(&prefix), stderr);
    ot_str_release(&prefix);
}

void ot_tell_warnings(const char *verb, const struct ot_warnings *warnings)
{
    tell_warnings(verb, ot_text_of(""), warnings);
}

void ot_tell_incomplete(const char *verb, const char *input, const struct ot_warnings *warnings,
                        const struct ot_counts *counts)
{
    struct ot_str of = {0};
    struct ot_str reasons = {0};
    if (input) {
        ot_utf8_add_printable(&of, ot_text_of(input));
        ot_str_addf(&of, ": ");
    }
    tell_warnings(verb, (struct ot_text){ot_str_borrow(&of), of.len}, warnings);
    ot_notes_add_reasons(&reasons, counts);
    if (reasons.len)
        ot_complain(verb, "warning: %slower bounds: %s", ot_str_borrow(&of),
                    ot_str_borrow(&reasons));
    ot_str_release(&reasons);
    ot_str_release(&of);
}
