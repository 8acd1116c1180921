/* history.h: the commits of a store, from the newest to the oldest that is kept. */
#ifndef OT_CORPUS_HISTORY_H
#define OT_CORPUS_HISTORY_H

#include "corpus/corpus.h"
#include "corpus/manifest.h"

struct ot_history {
    struct ot_arena arena;
    const char *root;
    char next[OT_CORPUS_ID_BYTES]; /* "": there is none */
    char oldest[OT_CORPUS_ID_BYTES];
};

struct ot_history_commit {
    const char *id;
    struct ot_commit_text text;
    bool is_cut; /* older ones were forgotten (gc --keep) */
};

/* From a commit on, which is an id or the beginning of one; NULL: from the newest. Release it also
 * after a failure. */
int ot_history_begin(struct ot_history *history, const struct ot_corpus *corpus, const char *commit,
                     struct ot_err *err);

/* OT_OK with the next one, OT_END after the last. What it says lives until the release.
 * OT_ERR_INPUT: it is damaged or missing, and `history->next` is its id. */
int ot_history_next(struct ot_history *history, struct ot_history_commit *ret_commit,
                    struct ot_err *err);

void ot_history_release(struct ot_history *history);

#endif
