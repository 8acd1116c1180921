/* lock.h: the one writer of a store.
 *
 * The kernel holds the lock, so that of a process that has died there is none. What is in the file
 * says who holds it, and is for people.
 */
#ifndef OT_CORPUS_LOCK_H
#define OT_CORPUS_LOCK_H

#include <stdint.h>

#include "base/err.h"
#include "corpus/corpus.h"

struct ot_lock {
    int fd; /* -1: not held */
};

/* `command`: what the others are told, as "optally import". Tries for `wait_ns`. OT_ERR_IO: another
 * writer holds it, whom the message names, or the store cannot be written. */
int ot_lock_take(const struct ot_corpus *corpus, const char *command, int64_t wait_ns,
                 struct ot_lock *ret_lock, struct ot_err *err);

void ot_lock_release(struct ot_lock *lock);

#endif
