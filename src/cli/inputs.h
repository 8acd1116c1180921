/* inputs.h: what the INPUT arguments of a verb mean: traces, or runs of the store.
 *
 * What is there as a file or folder is a trace, and so is "-"; anything else is a run, or a session
 * of one (corpus/corpus.h), all of one commit. With --commit every argument is a run. Traces and
 * runs are not read as one. Every verb that reads has the options of OT_INPUT_OPTIONS.
 */
#ifndef OT_CLI_INPUTS_H
#define OT_CLI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "corpus/corpus.h"

/* Rows of a verb's table for getopt_long(). */
enum { OT_OPT_STORE = 0x1000, OT_OPT_COMMIT, OT_OPT_ALL_SESSIONS };
/* clang-format off */
#define OT_INPUT_OPTIONS                                          \
    {"store", required_argument, NULL, OT_OPT_STORE},             \
    {"commit", required_argument, NULL, OT_OPT_COMMIT},           \
    {"all-sessions", no_argument, NULL, OT_OPT_ALL_SESSIONS}
/* clang-format on */
#define OT_INPUT_USAGE                                                                             \
    "  --commit ID          INPUTs are runs of the store, as that commit knows them\n"             \
    "  --all-sessions       take all sessions of a run that has several\n"                         \
    "  --store DIR          the store (default: $OPTALLY_STORE, or the nearest .optally)\n"

struct ot_input_opts {
    const char *store;
    const char *commit;
    bool all_sessions;
};

/* True if `c` is one of these options; then it is taken, with optarg. */
bool ot_input_option(int c, struct ot_input_opts *opts);

struct ot_input {
    const char *path;  /* what a reader can open; of a run, what the store keeps */
    const char *shown; /* how people know it: as it was given, or when it was imported */
    const struct ot_corpus_session *session; /* NULL: a trace */
};

struct ot_inputs {
    struct ot_input *items;
    const char **paths; /* of the items */
    size_t n;
    bool are_runs;      /* or else traces */
    bool recover;       /* one was imported so: it can be read in no other way */
    const char *commit; /* that the runs are of; NULL: there are none */

    /* Private. */
    size_t cap;
    struct ot_corpus_state state;
};

/* The arguments are borrowed; `inputs` is zeroed before, and released also after a failure. */
int ot_inputs_resolve(struct ot_inputs *inputs, const char *const *args, size_t n_args,
                      const struct ot_input_opts *opts, struct ot_err *err);

/* The same for a verb that opens what the store keeps: a linked trace that has changed is
 * OT_ERR_INPUT. */
int ot_inputs_resolve_to_open(struct ot_inputs *inputs, const char *const *args, size_t n_args,
                              const struct ot_input_opts *opts, struct ot_err *err);

/* The item that `path`, a pointer of `paths`, is of. */
const struct ot_input *ot_inputs_find(const struct ot_inputs *inputs, const char *path);

/* Forgets the items, but not the commit: what is resolved next is of the same one. */
void ot_inputs_clear(struct ot_inputs *inputs);

void ot_inputs_release(struct ot_inputs *inputs);

#endif
