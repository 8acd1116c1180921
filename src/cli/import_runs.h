/* import_runs.h: from traces that were read to the runs of the next commit. */
#ifndef OT_CLI_IMPORT_RUNS_H
#define OT_CLI_IMPORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/import_trace.h"
#include "corpus/corpus.h"

enum ot_import_change {
    OT_IMPORT_NEW,
    OT_IMPORT_CHANGED, /* the run was there; its name, labels or place have changed */
    OT_IMPORT_SAME     /* it was there as it is */
};

struct ot_imported {
    struct ot_corpus_run run;
    enum ot_import_change change;
    const char *old_name; /* NULL: it is new */
};

/* All runs that there are; those without a manifest are new or changed. */
struct ot_import_runs {
    struct ot_corpus_run *runs; /* in the arena */
    size_t n_runs;
    size_t cap;
    struct ot_imported *imported; /* one for each call of ot_import_runs_add() */
    size_t n_imported;
};

struct ot_import_naming {
    const char *name; /* NULL: after the traces */
    const struct ot_corpus_label *labels;
    size_t n_labels; /* a label without a value goes */
};

/* Begins with the runs of the writer's state; there is room for `n_more`. */
int ot_import_runs_init(struct ot_import_runs *runs, const struct ot_import *import, size_t n_more,
                        struct ot_err *err);

/* The run that those traces are. OT_ERR_INPUT: another run has the name; or they are of different
 * kinds. */
int ot_import_runs_add(struct ot_import_runs *runs, const struct ot_import *import,
                       struct ot_import_trace *traces, size_t n_traces,
                       const struct ot_import_naming *naming, struct ot_err *err);

/* Says it of traces that do not look like parts of one job: they tell other numbers of ranks, the
 * same rank, or other devices. */
void ot_import_warn_of_strangers(const char *verb, const struct ot_import_trace *traces,
                                 size_t n_traces);

/* What was done, as a commit says it. */
void ot_import_runs_message(struct ot_str *message, const struct ot_import_runs *runs);

/* Something is new or changed. */
bool ot_import_runs_changed(const struct ot_import_runs *runs);

#endif
