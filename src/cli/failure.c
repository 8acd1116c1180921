#include "cli/failure.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/output.h"
#include "emit/failure/failure.h"

/* A code that is not here has an error that says it all. */
static const struct {
    int code;
    const char *remedy;
} remedies[] = {
    {OT_ERR_MISSING, "optally doctor says what is missing, and what to install"},
    {OT_ERR_INPUT, "give a trace that torch.profiler exported, a recording, or a run of the store"},
    {OT_ERR_DAMAGED, "--recover keeps what is whole, as lower bounds"},
};

bool ot_asks_for_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            return true;
    }
    return false;
}

static void add_remedy(struct ot_str *remedy, const struct ot_cli_failure *failure)
{
    if (failure->code == OT_ERR_USAGE)
        ot_str_addf(remedy, "optally %s --help says what there is", failure->verb);
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
        if (remedies[i].code == failure->code)
            ot_str_addf(remedy, "%s", remedies[i].remedy);
    }
}

static void write_object(const struct ot_cli_failure *failure)
{
    struct ot_str remedy = {0};
    if (failure->remedy)
        ot_str_addf(&remedy, "%s", failure->remedy);
    else
        add_remedy(&remedy, failure);
    const char *remediation[] = {ot_str_borrow(&remedy)};
    struct ot_failure object = {
        .code = failure->code,
        .message = failure->err->msg,
        .inputs = failure->inputs,
        .n_inputs = failure->n_inputs,
        .remediation = remediation,
        .n_remediation = remedy.len > 0,
    };
    ot_failure_write_json(&object, stdout);
    ot_str_release(&remedy);
}

int ot_fail_as_asked(const struct ot_cli_failure *failure)
{
    int status = failure->is_told ? ot_failed_status(failure->code)
                                  : ot_fail(failure->verb, failure->code, failure->err);
    if (!failure->json || ferror(stdout)) /* an output that failed takes no more */
        return status;
    write_object(failure);
    return ot_finish_output(failure->verb, status);
}

int ot_store_fail(const char *verb, int code, const struct ot_err *err, bool json)
{
    static const char remedy[] =
        "optally runs lists what the store has; optally fsck says whether it is whole";
    bool is_of_store = code == OT_ERR_INPUT || code == OT_ERR_DAMAGED;
    return ot_fail_as_asked(&(struct ot_cli_failure){.verb = verb,
                                                     .code = code,
                                                     .err = err,
                                                     .json = json,
                                                     .remedy = is_of_store ? remedy : NULL});
}
