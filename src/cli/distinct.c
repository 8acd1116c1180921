#include "cli/distinct.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/verb.h"

/* What an input is, whatever it is called. */
struct identity {
    const char *input;
    bool is_known;
    bool is_standard_input;
    dev_t device;
    ino_t inode;
};

/* Standard input may be a file, too; one that was read in part is another trace than that file. */
static struct identity identify(const char *input)
{
    struct identity identity = {.input = input, .is_standard_input = strcmp(input, "-") == 0};
    struct stat status;
    if (identity.is_standard_input)
        identity.is_known = fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
                            lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    else
        identity.is_known = stat(input, &status) == 0;
    if (identity.is_known) {
        identity.device = status.st_dev;
        identity.inode = status.st_ino;
    }
    return identity;
}

/* What is not there goes by its name: the tables of a run do not need its trace. */
static bool are_same(const struct identity *a, const struct identity *b)
{
    if (!a->is_known && !b->is_known)
        return strcmp(a->input, b->input) == 0 && !a->is_standard_input;
    return a->is_known && b->is_known && a->device == b->device && a->inode == b->inode &&
           !(a->is_standard_input && b->is_standard_input);
}

int ot_distinct_init(struct ot_distinct *distinct, const char *verb, const char *const *inputs,
                     size_t n_inputs, struct ot_err *err)
{
    *distinct = (struct ot_distinct){.n = n_inputs};
    distinct->inputs = calloc(n_inputs, sizeof(*distinct->inputs));
    struct identity *identities = calloc(n_inputs, sizeof(*identities));
    if (!distinct->inputs || !identities) {
        free(identities);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
    }
    for (size_t i = 0; i < n_inputs; i++) {
        distinct->inputs[i] = inputs[i];
        identities[i] = identify(inputs[i]);
        size_t first = 0;
        while (first < i &&
               !(distinct->inputs[first] && are_same(&identities[first], &identities[i])))
            first++;
        if (first < i)
            ot_distinct_drop(distinct, verb, i, first);
    }
    free(identities);
    ot_distinct_close_gaps(distinct);
    return OT_OK;
}

void ot_distinct_drop(struct ot_distinct *distinct, const char *verb, size_t twin, size_t first)
{
    const char **inputs = distinct->inputs;
    if (strcmp(inputs[twin], inputs[first]) == 0)
        ot_complain(verb, "warning: %s is given twice; it counts once", inputs[twin]);
    else
        ot_complain(verb, "warning: %s is the same trace as %s; it counts once", inputs[twin],
                    inputs[first]);
    if (strcmp(inputs[first], "-") == 0)
        inputs[first] = inputs[twin];
    inputs[twin] = NULL;
}

bool ot_distinct_close_gaps(struct ot_distinct *distinct)
{
    size_t n = 0;
    for (size_t i = 0; i < distinct->n; i++) {
        if (distinct->inputs[i])
            distinct->inputs[n++] = distinct->inputs[i];
    }
    bool has_closed = n < distinct->n;
    distinct->n = n;
    return has_closed;
}

void ot_distinct_release(struct ot_distinct *distinct)
{
    if (!distinct)
        return;
    free(distinct->inputs);
    *distinct = (struct ot_distinct){0};
}
