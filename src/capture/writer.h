/* writer.h: the recording side of a writer: what has to stand before the program starts, what the
 * program is told, and what has to be taken down after it.
 *
 * One table per writer, one recording per process. To add one: a file with the table, a row in
 * writer.c, a test, a section in optally-record(1).
 */
#ifndef OT_CAPTURE_WRITER_H
#define OT_CAPTURE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/child.h"

struct ot_capture_request {
    const char *out_dir; /* absolute; exists */
    const char *run_dir; /* absolute; for sockets and other small files; the keeper's */
    int daemon_fd;       /* for a daemon to inherit, so that the keeper knows when it has ended */
    const char *tracer;  /* path of the preload library, and */
    const char *module;  /* of the tracer's module for this writer; LD_PRELOAD can hold both */
    const struct ot_signals *signals; /* for children, and for whoever wants to end */

    bool lossy; /* drop events rather than let the program wait */

    unsigned log_options; /* enum ot_oplog_options (base/oplog.h) */
    uint64_t max_bytes;   /* of all logs together; 0: as much as there is room for */
    bool ring;            /* at that limit the oldest events make room */
};

/* What processes could not record any more, and the recording itself has counted. */
struct ot_capture_losses {
    unsigned n_processes; /* that stopped recording before they ended */
    uint64_t n_events;    /* that they have not recorded */
    char reason[256];     /* of the first */
};

/* A ring's processes make do with very little until somebody has made room for them. */
enum { OT_CAPTURE_CHECK_MS = 500, OT_CAPTURE_RING_MS = 50 };

struct ot_capture_writer {
    const char *name; /* for --writer and the tracer's environment */
    bool has_module;  /* the tracer opens optally-writer-NAME.so for it */
    bool has_daemon;  /* start() may start one, which the keeper waits for */

    /* Allocates *ret_state; `request` is kept until stop. A negative code leaves nothing behind: no
     * process, socket or file. It is one, too, when a signal that asks to end is pending. */
    int (*start)(const struct ot_capture_request *request, void **ret_state, struct ot_err *err);

    /* Sets what the program has to find in its environment; runs in the child. */
    void (*child_environment)(const void *state);

    /* Called every OT_CAPTURE_CHECK_MS while the program runs, with a ring every
     * OT_CAPTURE_RING_MS. A negative code, once: events can no longer be written, and recording has
     * been stopped so that the program can go on. */
    int (*check)(void *state, struct ot_err *err);

    /* Writes out what is pending, takes everything down and frees `state`; NULL is allowed. A
     * trace without events is valid too. OT_ERR_IO: something was lost that nothing counts, what is
     * there can be read. OT_ERR_INPUT: nothing can. *ret_losses, zeroed by the caller, is filled in
     * where losses are counted. */
    int (*stop)(void *state, struct ot_capture_losses *ret_losses, struct ot_err *err);
};

/* NULL: there is none of that name. */
const struct ot_capture_writer *ot_capture_writer_find(const char *name);

extern const struct ot_capture_writer ot_capture_builtin;
extern const struct ot_capture_writer ot_capture_lttng;

#endif
