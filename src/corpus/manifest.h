/* manifest.h: the two kinds of JSON files of a store, read and written.
 *
 * Written canonically (keys in order, no white space, one newline at the end), so that the same
 * content is the same file and has the same id. docs/formats/store.md has every member.
 */
#ifndef OT_CORPUS_MANIFEST_H
#define OT_CORPUS_MANIFEST_H

#include "base/str.h"
#include "corpus/corpus.h"

/* The end of what is said of a damaged file. */
#define OT_MANIFEST_HINT "; optally fsck says what still answers"

struct ot_commit_text {
    const char *parent; /* "" of the first */
    const char *message;
    int64_t time_ns;
    const char *const *manifests; /* ids of the runs' */
    size_t n_manifests;
};

/* The path of a file is for messages. What is read lives in the arena; `root` is the corpus's, and
 * folders and inputs of sessions are below it. OT_ERR_INPUT: damaged, or of another version. */
int ot_manifest_read_commit(struct ot_arena *arena, const char *path, const char *bytes, size_t len,
                            struct ot_commit_text *ret_commit, struct ot_err *err);
int ot_manifest_read_run(struct ot_arena *arena, const char *root, const char *path,
                         const char *bytes, size_t len, struct ot_corpus_run *ret_run,
                         struct ot_err *err);

/* Bytes that are no UTF-8 become U+FFFD. OT_ERR_NOMEM. */
int ot_manifest_write_commit(struct ot_str *str, const struct ot_commit_text *commit,
                             struct ot_err *err);
int ot_manifest_write_run(struct ot_str *str, const struct ot_corpus_run *run, struct ot_err *err);

/* A copy that is UTF-8. NULL: out of memory. */
char *ot_manifest_text(struct ot_arena *arena, const char *bytes, size_t len);

#endif
