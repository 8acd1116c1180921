/* progress.h: how far long work is, drawn on standard error while it goes on.
 *
 * Only on a terminal that can erase a line and only while we are in its foreground; nothing is
 * drawn in the first second. A thread of its own draws, ten times a second, and takes no signals. A
 * signal that would end the process, and that nobody else has taken, erases the line first;
 * ot_complain() does so before it prints. What else writes to a terminal does it before start or
 * after stop.
 *
 * There is one at a time. Start, phase and stop are called by one thread; `read_bytes` is added to
 * by any. A zeroed struct may be stopped.
 */
#ifndef OT_CLI_PROGRESS_H
#define OT_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ot_progress {
    _Atomic uint64_t read_bytes; /* of the phase: what is read or written so far */

    /* Its own. */
    bool is_running;
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t wake;
    bool is_ending;
    bool ascii;
    const char *what;
    const char *const *inputs; /* whose sizes are yet to be added up; NULL: total_bytes is right */
    size_t n_inputs;
    uint64_t total_bytes;
    int64_t began_ns; /* the first phase */
    int64_t phase_ns; /* this one */
};

/* Begins with the reading of inputs, whose names are kept: `what` says it ("reading"), and the
 * total is the size of all files, below folders, too; nobody knows that of standard input. Hand
 * &progress->read_bytes to the reader. Cannot fail: at worst nothing is drawn. */
void ot_progress_start(struct ot_progress *progress, const char *what, const char *const *inputs,
                       size_t n_inputs);

/* Goes on with something else, from 0 to `total_bytes` (0: nobody knows). */
void ot_progress_phase(struct ot_progress *progress, const char *what, uint64_t total_bytes);

/* The line is gone then. Before results are written to what may be a terminal. */
void ot_progress_stop(struct ot_progress *progress);

/* Erases what is drawn, if anything is. The caller holds flockfile(stderr) until it has written its
 * own. */
void ot_progress_erase(void);

#endif
