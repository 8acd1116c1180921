/* process.h: the log of this process: its file, header and chunks, and what all threads share.
 *
 * Everything here is called with the guard taken (guard.h), by any thread, and locks by itself.
 * What lies in a struct ot_process is zero in a forked child until its first event makes a file of
 * its own. No descriptor is kept: each chunk opens the file anew by its path, so that nothing
 * depends on what the program does with descriptors that it does not know.
 *
 * Trouble (a full disk, the size limit) stops the recording of this process for good: the reason is
 * in the header and in one line for `record`; threads go on in the room that they have, and every
 * event beyond it is counted.
 */
#ifndef OT_TRACER_BUILTIN_PROCESS_H
#define OT_TRACER_BUILTIN_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/oplog.h"
#include "tracer/builtin/finished.h"
#include "tracer/builtin/names.h"

struct ot_thread;
struct ot_call_block;

struct ot_process {
    _Atomic uint64_t nonce; /* no other process has it; 0: nothing was opened yet */
    _Atomic bool is_stopped;
    pthread_mutex_t lock;           /* zeroed is unlocked; for all below */
    struct ot_oplog_header *header; /* NULL if the file could not be made */
    struct ot_oplog_budget *budget; /* NULL: no limit */
    dev_t dev;
    ino_t ino;
    char *path;
    uint32_t n_threads;          /* so far */
    struct ot_finished finished; /* chunks of events that a ring may use again */
    struct ot_thread *idle_threads;
    struct ot_call_block *idle_blocks;
    struct ot_names names;
};

/* A chunk that was handed out, mapped and zero behind its head, whose kind is not set yet. */
struct ot_chunk {
    struct ot_oplog_chunk *head;
    uint32_t index;
};

/* Makes the file. OT_ERR_IO: it could not be, and the process counts as stopped. */
int ot_process_open(struct ot_process *process, struct ot_err *err);

/* The process is open now; its first event in a forked child opens it. False: it is stopped. */
bool ot_process_is_ready(struct ot_process *process);

/* Hands out a chunk at address `window`, or where there is room if that is NULL. False: there is
 * none now, and there will be none if the process is stopped. The lock must not be held for _take,
 * and be held for _locked.
 */
bool ot_process_take_chunk(struct ot_process *process, enum ot_oplog_chunk_kind kind, void *window,
                           struct ot_chunk *ret_chunk);
bool ot_process_take_chunk_locked(struct ot_process *process, enum ot_oplog_chunk_kind kind,
                                  void *window, struct ot_chunk *ret_chunk);

/* How many chunks of names there may be. A ring cannot use them again, and has half of its room for
 * them, or they would eat it; a process that is stopped has none. With the lock held. */
uint64_t ot_process_chunks_for_names(const struct ot_process *process);

/* Nobody will write into this chunk of events any more. */
void ot_process_finish_chunk(struct ot_process *process, uint32_t index);

/* The orderly end. Any time, also in a process that has nothing open. */
void ot_process_close(struct ot_process *process);

/* Without the guard and the lock. */
void ot_process_lose(struct ot_process *process, uint64_t n_events);

#endif
