/* fsck.h: whether every file of a store is what its commits say. */
#ifndef OT_CORPUS_FSCK_H
#define OT_CORPUS_FSCK_H

#include "corpus/corpus.h"
#include "store/store.h"

/* Something that is not what it should be. */
struct ot_fsck_finding {
    const char *path; /* absolute */
    const char *what; /* in words */
};

struct ot_fsck_run {
    const char *manifest;
    const char *id;   /* "": its manifest cannot be read */
    const char *name; /* likewise */
    bool is_whole;
};

struct ot_fsck_commit {
    const char *id;
    bool is_readable;
    bool is_whole; /* all its runs are */
};

struct ot_fsck_opts {
    const struct ot_store_api *store;
    bool count_rows; /* of tables, whose hashes are looked at in any case */
    /* Whether a kept artifact has the hash that names it. OT_ERR_DAMAGED, OT_ERR_IO: it has not,
     * and `err` says how. NULL: nobody looks. */
    int (*check_artifact)(const struct ot_store_api *store, const struct ot_corpus_session *session,
                          struct ot_err *err);
};

/* Release it also after a failure. */
struct ot_fsck {
    struct ot_arena arena;
    struct ot_fsck_finding *findings;
    size_t n_findings;
    struct ot_fsck_run *runs; /* each manifest once */
    size_t n_runs;
    struct ot_fsck_commit *commits; /* from the newest on; then, if that chain is broken, others */
    size_t n_commits;
    bool is_cut; /* older commits were forgotten */
    uint64_t n_files;
    uint64_t n_bytes;

    struct ot_fsck_parts *parts; /* its own */
};

/* What is damaged is found and not a failure. */
int ot_fsck(struct ot_fsck *fsck, const struct ot_corpus *corpus, const struct ot_fsck_opts *opts,
            struct ot_err *err);

void ot_fsck_release(struct ot_fsck *fsck);

#endif
