/* corpus.h: the store on disk: what was imported, and which commit knows of it.
 *
 *     .optally/format                   "optally.store/1"
 *     .optally/head                     the newest commit's id
 *     .optally/oldest                   the oldest commit's that is kept; absent: all are
 *     .optally/lock                     held by the one writer, who is named in it
 *     .optally/commits/ID.json          parent, time, what was done, and the runs that there are
 *     .optally/runs/ID.json             a run's name, labels and sessions, their files and hashes
 *     .optally/sessions/session=ID/     the tables of a session: Parquet, never changed
 *     .optally/artifacts/SHA256/        what was read, under its own name, never changed
 *     .optally/tmp/                     of a writer; empty when there is none
 *
 * A commit's id is the SHA-256 of its file, a run manifest's likewise; so a commit pins all that it
 * names. Everything is written aside, synchronised and renamed; `head` comes last. A reader needs
 * no lock, and no module: the hash of a small file is made here. docs/formats/store.md describes it
 * all. No DuckDB here. One thread.
 */
#ifndef OT_CORPUS_CORPUS_H
#define OT_CORPUS_CORPUS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "stats/figures.h"
#include "store/store.h"

#define OT_CORPUS_FORMAT        "optally.store/1"
#define OT_CORPUS_COMMIT_SCHEMA "optally.commit/1"
#define OT_CORPUS_RUN_SCHEMA    "optally.run/1"
#define OT_CORPUS_FOLDER        ".optally"

enum {
    OT_CORPUS_ID_BYTES = OT_STORE_SHA256_HEX + 1,
    OT_CORPUS_SHORT_ID = 12, /* digits that are shown */
    OT_CORPUS_MIN_PREFIX = 4 /* digits that an id can be shortened to */
};

struct ot_corpus {
    char root[PATH_MAX]; /* absolute; the folder .optally itself */
};

/* All texts and arrays below live in the arena of the state that they are in. Texts of traces and
 * of the command line are UTF-8: what was not is U+FFFD. */

struct ot_corpus_file {
    const char *name; /* in the session's folder */
    const char *sha256;
    uint64_t n_bytes;
    uint64_t n_rows;
};

struct ot_corpus_session {
    const char *id;       /* of the artifact, the extractor and how it was read */
    const char *artifact; /* SHA-256, without "sha256:" */
    const char *folder;   /* absolute, with its tables */
    const char *input;    /* absolute: what a reader can open, kept or linked */
    const char *path;     /* as it was given to the import */
    const char *format;   /* of the reader */
    const char *extractor;
    int64_t imported_ns; /* when its tables were made, since the epoch */
    bool is_linked;      /* `input` is outside of the store, and may have changed since */
    bool is_folder;
    bool is_packed; /* kept, and packed by us: the hash is that of what is in it */
    bool recovered;
    bool has_rank;
    int64_t rank;
    bool has_world_size;
    int64_t world_size;
    uint64_t artifact_bytes;   /* as imported */
    uint64_t kept_bytes;       /* that it takes in the store; 0: linked */
    const char *kept_name;     /* in its folder of artifacts; NULL: linked */
    int64_t linked_mtime_ns;   /* when it was imported, as `artifact_bytes` */
    const char *torch;         /* PyTorch's version; "": the trace does not say */
    const char *devices;       /* what they are called, a line each; "" likewise */
    struct ot_figures figures; /* when it was imported */
    const struct ot_corpus_file *files;
    size_t n_files;
};

struct ot_corpus_label {
    const char *key;
    const char *value;
};

struct ot_corpus_run {
    const char *id;       /* of its sessions, in their order: the same traces are the same run */
    const char *manifest; /* id of its file */
    const char *name;
    int64_t imported_ns;                  /* since the epoch */
    const struct ot_corpus_label *labels; /* by key */
    size_t n_labels;
    const struct ot_corpus_session *sessions; /* by rank where they have one, else as given */
    size_t n_sessions;
};

/* A manifest that a commit names and nobody can read. What its run was called it alone knew. */
struct ot_corpus_damage {
    const char *manifest; /* id */
    const char *what;     /* in words, with the file and what to do */
};

/* One commit: all runs that can be read, and what cannot. */
struct ot_corpus_state {
    struct ot_arena arena;
    const char *root;   /* of its corpus */
    const char *commit; /* "" in a store without a commit */
    const char *parent; /* "" of the first */
    const char *message;
    int64_t time_ns;
    struct ot_corpus_run *runs; /* in the order of their import */
    size_t n_runs;
    struct ot_corpus_damage *damaged;
    size_t n_damaged;
};

/* Makes the store that ot_corpus_find() would find for the same `dir`, but for NULL without
 * $OPTALLY_STORE, which is the current folder: DIR/.optally, and DIR if need be; DIR itself if it
 * is called .optally. OT_ERR_INPUT: there is one. */
int ot_corpus_init(const char *dir, struct ot_corpus *ret_corpus, struct ot_err *err);

/* `dir`: the folder .optally, or the one that it is in; NULL: $OPTALLY_STORE, or else upward from
 * the current folder. OT_ERR_INPUT: there is none, or its format is another one's. */
int ot_corpus_find(const char *dir, struct ot_corpus *ret_corpus, struct ot_err *err);

/* Reads a commit; `commit` is an id or a unique beginning of one, NULL: the newest. Release the
 * state also after a failure. OT_ERR_INPUT: there is none like it, or it is damaged or of another
 * version; the message names the file. A manifest that is so is no failure: whoever answers for all
 * runs says what the state has in `damaged`. */
int ot_corpus_read(const struct ot_corpus *corpus, const char *commit,
                   struct ot_corpus_state *ret_state, struct ot_err *err);

void ot_corpus_state_release(struct ot_corpus_state *state);

/* The run that `text` means: its name, or a unique beginning of its id (4 characters or more).
 * OT_ERR_INPUT: none, or several, which the message lists, or what cannot be read, which may be the
 * run, or is it if `text` is the beginning of its manifest's id. */
int ot_corpus_find_run(const struct ot_corpus_state *state, const char *text,
                       const struct ot_corpus_run **ret_run, struct ot_err *err);

/* What an argument means: RUN, RUN:rankN, RUN:#N (the session at that place, from 0), or
 * RUN:SESSION (a unique beginning of its id). */
struct ot_corpus_pick {
    const struct ot_corpus_run *run;
    const struct ot_corpus_session *sessions; /* in the run's */
    size_t n_sessions;
};

/* After a failure `ret_pick` has the run if there is such a one. RUN alone means all its sessions:
 * whoever may not mix them says so with ot_corpus_refuse_several(). */
int ot_corpus_pick(const struct ot_corpus_state *state, const char *text,
                   struct ot_corpus_pick *ret_pick, struct ot_err *err);

/* OT_ERR_INPUT with a line that lists them if there are several, else OT_OK. */
int ot_corpus_refuse_several(const struct ot_corpus_pick *pick, struct ot_err *err);

/* OT_ERR_INPUT: a linked artifact is gone, or has another size or time than when it was imported,
 * and the message says what to do. Looks at the file, not at its bytes. */
int ot_corpus_check_input(const struct ot_corpus_session *session, struct ot_err *err);

/* OT_ERR_INPUT: another version than this one has made its tables; the message says what to do. For
 * whoever reads these. */
int ot_corpus_check_tables(const struct ot_corpus_session *session, struct ot_err *err);

/* The refs of a view (store.h) of a whole state, in the state's arena. OT_ERR_INPUT: as
 * ot_corpus_check_tables() of each session. */
int ot_corpus_view(struct ot_corpus_state *state, struct ot_sql_view *ret_view, struct ot_err *err);

/* The id of the session that this extractor makes of an artifact (its SHA-256, without "sha256:"),
 * and of the run that is those sessions. OT_ERR_NOMEM. */
int ot_corpus_session_id(const char *artifact, const char *extractor, bool recovered,
                         char ret_id[OT_CORPUS_ID_BYTES], struct ot_err *err);
int ot_corpus_run_id(const struct ot_corpus_session *sessions, size_t n_sessions,
                     char ret_id[OT_CORPUS_ID_BYTES], struct ot_err *err);

/* Whether `text` is a beginning of an id, 4 digits or more. */
bool ot_corpus_is_prefix(const char *text);

#endif
