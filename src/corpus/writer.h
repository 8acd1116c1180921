/* writer.h: how the store changes.
 *
 * A writer holds the lock from its beginning to its end. What it makes is first in its own folder
 * below tmp/, then renamed into place, and only the new head makes it part of the store: whatever
 * happens before leaves files that no commit names, which ot_gc removes, and what is in tmp/ goes
 * with the next writer. One thread.
 */
#ifndef OT_CORPUS_WRITER_H
#define OT_CORPUS_WRITER_H

#include "corpus/corpus.h"
#include "corpus/lock.h"

struct ot_writer {
    struct ot_corpus corpus;
    struct ot_lock lock;
    char work[PATH_MAX];          /* an empty folder at the beginning */
    struct ot_corpus_state state; /* what the newest commit says */
};

struct ot_writer_opts {
    const char *command; /* "optally import" */
    int64_t wait_ns;     /* for another writer */
    bool leave_tmp;      /* what dead writers have left stays, for gc to count */
};

/* Takes the lock, removes what dead writers have left in tmp/, and reads the newest commit. End the
 * writer only after OT_OK. */
int ot_writer_begin(struct ot_writer *writer, const struct ot_corpus *corpus,
                    const struct ot_writer_opts *opts, struct ot_err *err);

/* A session that some manifest describes, whose folder is there and whose tables are of this
 * version: in the newest commit or in any other. The texts live in the writer's state. OT_END:
 * nobody knows it. */
int ot_writer_find_session(struct ot_writer *writer, const char *id,
                           struct ot_corpus_session *ret_session, struct ot_err *err);

/* The runs that there are from now on. Those without a manifest get one, and all may be new. What
 * the state has as damaged comes behind them, so that nothing goes unsaid. The state is what it
 * was; `ret_commit` is the new id. */
int ot_writer_commit(struct ot_writer *writer, struct ot_corpus_run *runs, size_t n_runs,
                     const char *message, char ret_commit[OT_CORPUS_ID_BYTES], struct ot_err *err);

/* Writes a file of one id: "head", "oldest". */
int ot_writer_set_ref(struct ot_writer *writer, const char *name, const char *id,
                      struct ot_err *err);

/* Removes what is left in tmp/, and gives the lock back; the state stays for those who have yet to
 * print it. */
void ot_writer_unlock(struct ot_writer *writer);

/* Likewise, unless that is done; and releases the state. */
void ot_writer_end(struct ot_writer *writer);

#endif
