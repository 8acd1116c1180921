/* fsck.h: whether every file of a store is what its commits say. */
#ifndef OT_CORPUS_FSCK_H
#define OT_CORPUS_FSCK_H

#include "corpus/corpus.h"
#include "store/store.h"

/* What is damaged, by what can be done about it. */
enum ot_fsck_kind {
    OT_FSCK_CONTENT,  /* tables, or what is kept or linked of a trace */
    OT_FSCK_MANIFEST, /* of a run of the newest commit */
    OT_FSCK_COMMIT,   /* an older one, or a manifest that only older ones name */
    OT_FSCK_OLDEST,   /* the name of the oldest one */
    OT_FSCK_HEAD,     /* the newest one, or its name */
    OT_FSCK_N_KINDS
};

/* Something that is not what it should be. */
struct ot_fsck_finding {
    enum ot_fsck_kind kind;
    const char *path; /* absolute */
    const char *what; /* in words */
};

struct ot_fsck_run {
    const char *manifest;
    const char *id;   /* "": its manifest cannot be read */
    const char *name; /* likewise */
    bool is_whole;
    bool is_lost; /* no commit that can be read names it; looked for if one cannot be read */
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
    bool is_cut;        /* older commits were forgotten */
    size_t n_sound;     /* commits from the newest on, up to one that is damaged or names what is */
    const char *newest; /* with OT_FSCK_HEAD: of the commits that can be read; NULL: none can */
    uint64_t n_files;
    uint64_t n_bytes;

    struct ot_fsck_parts *parts; /* its own */
};

/* What is damaged is found and not a failure. */
int ot_fsck(struct ot_fsck *fsck, const struct ot_corpus *corpus, const struct ot_fsck_opts *opts,
            struct ot_err *err);

void ot_fsck_release(struct ot_fsck *fsck);

#endif
