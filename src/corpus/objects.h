/* objects.h: the files that a store is made of, by their ids.
 *
 * A commit or a run's manifest is read only if its bytes have the hash that is its name.
 */
#ifndef OT_CORPUS_OBJECTS_H
#define OT_CORPUS_OBJECTS_H

#include "corpus/corpus.h"
#include "corpus/manifest.h"

/* The id that a one-line file of the store holds ("head", "oldest"); "" where there is none. */
int ot_objects_ref(const char *root, const char *name, char ret_id[OT_CORPUS_ID_BYTES],
                   struct ot_err *err);

/* What is read lives in the arena. OT_ERR_INPUT: missing, damaged, or of another version. */
int ot_objects_commit(struct ot_arena *arena, const char *root, const char *id,
                      struct ot_commit_text *ret_commit, struct ot_err *err);
int ot_objects_run(struct ot_arena *arena, const char *root, const char *manifest,
                   struct ot_corpus_run *ret_run, struct ot_err *err);

/* The commit whose id begins so. OT_ERR_INPUT: none, or several. */
int ot_objects_find_commit(const char *root, const char *prefix, char ret_id[OT_CORPUS_ID_BYTES],
                           struct ot_err *err);

#endif
