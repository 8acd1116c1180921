/* gc.h: what no commit names. */
#ifndef OT_CORPUS_GC_H
#define OT_CORPUS_GC_H

#include "corpus/corpus.h"
#include "corpus/writer.h"

struct ot_gc_item {
    const char *path; /* below the store: "sessions/session=..." */
    uint64_t n_bytes;
};

/* Release it also after a failure. */
struct ot_gc {
    struct ot_arena arena;
    struct ot_gc_item *items; /* commits, manifests, tables, artifacts, what is in tmp/ */
    size_t n_items;
    size_t cap;
    uint64_t n_bytes;
    const char *oldest;    /* the commit that would be the oldest one; "": as it is */
    size_t n_kept_commits; /* that are left */
};

/* Looks and changes nothing. The newest `keep` commits count, all of them if it is less than 1.
 * `writer`, if it is not NULL, is the caller's, and what is its own is left out.
 * OT_ERR_INPUT: a commit or manifest is damaged, so that nobody knows what it names. */
int ot_gc_find(struct ot_gc *gc, const struct ot_corpus *corpus, int64_t keep,
               const struct ot_writer *writer, struct ot_err *err);

/* Removes what was found. */
int ot_gc_remove(const struct ot_gc *gc, struct ot_writer *writer, struct ot_err *err);

void ot_gc_release(struct ot_gc *gc);

#endif
