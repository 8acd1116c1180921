#include "cli/failure.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "emit/failure/failure.h"
#include "fold/fold.h"

enum { MAX_REMEDIES = 2, REMEDY_BYTES = 96 };

struct remedies {
    char texts[MAX_REMEDIES][REMEDY_BYTES];
    size_t n;
};

bool ot_asks_for_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            return true;
    }
    return false;
}

static void add_help(const struct ot_cli_failure *failure, struct remedies *remedies)
{
    snprintf(remedies->texts[remedies->n++], REMEDY_BYTES, "optally %s --help says what there is",
             failure->verb);
}

static void add_doctor(const struct ot_cli_failure *failure, struct remedies *remedies)
{
    (void)failure;
    snprintf(remedies->texts[remedies->n++], REMEDY_BYTES,
             "optally doctor says what is missing, and what to install");
}

static bool has_standard_input(const struct ot_cli_failure *failure)
{
    for (size_t i = 0; i < failure->n_inputs; i++) {
        if (strcmp(failure->inputs[i], "-") == 0)
            return true;
    }
    return false;
}

/* Whether it is damage that can be skipped is known for certain only once that was tried. */
static bool can_be_recovered(const struct ot_cli_failure *failure)
{
    struct ot_population pop = {0};
    struct ot_fold_opts opts = {.depth = OT_FOLD_SUMS, .recover = true};
    const char *format = NULL;
    struct ot_err ignored;
    int code = ot_fold(failure->inputs, failure->n_inputs, &opts, &pop, &format, &ignored);
    ot_population_release(&pop);
    return code == OT_OK;
}

/* Standard input cannot be read again, so that it may be either. */
static void add_for_input(const struct ot_cli_failure *failure, struct remedies *remedies)
{
    bool is_gone = has_standard_input(failure);
    bool helps = !failure->recover && !is_gone && can_be_recovered(failure);
    if (!helps)
        snprintf(remedies->texts[remedies->n++], REMEDY_BYTES,
                 "give a trace that torch.profiler exported, or a recording");
    if (helps || (is_gone && !failure->recover))
        snprintf(remedies->texts[remedies->n++], REMEDY_BYTES,
                 "%s--recover keeps what is whole, as lower bounds",
                 helps ? "" : "if it is cut or damaged, ");
}

/* A code that is not here has an error that says it all. */
static const struct {
    int code;
    void (*add)(const struct ot_cli_failure *failure, struct remedies *remedies);
} helpers[] = {
    {OT_ERR_USAGE, add_help},
    {OT_ERR_MISSING, add_doctor},
    {OT_ERR_INPUT, add_for_input},
};

static void write_object(const struct ot_cli_failure *failure)
{
    struct remedies remedies = {.n = 0};
    for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
        if (helpers[i].code == failure->code)
            helpers[i].add(failure, &remedies);
    }
    const char *texts[MAX_REMEDIES];
    for (size_t i = 0; i < MAX_REMEDIES; i++)
        texts[i] = remedies.texts[i];
    struct ot_failure object = {
        .code = failure->code,
        .message = failure->err->msg,
        .inputs = failure->inputs,
        .n_inputs = failure->n_inputs,
        .remediation = texts,
        .n_remediation = remedies.n,
    };
    ot_failure_write_json(&object, stdout);
}

int ot_fail_as_asked(const struct ot_cli_failure *failure)
{
    int status = ot_fail(failure->verb, failure->code, failure->err);
    if (!failure->json || ferror(stdout)) /* an output that failed takes no more */
        return status;
    write_object(failure);
    return ot_finish_output(failure->verb, status);
}
