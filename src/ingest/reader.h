/* reader.h: what reads an input.
 *
 * A kind of input is a constant table of functions and a row in detect.c; nothing else learns its
 * name. A reader belongs to one thread.
 */
#ifndef OT_INGEST_READER_H
#define OT_INGEST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/counts.h"
#include "model/event.h"
#include "model/session.h"
#include "model/warnings.h"

struct ot_reader;

struct ot_reader_opts {
    bool want_text;  /* event_name and payload of every event are wanted; costs time */
    bool want_marks; /* labels and flows are wanted, too */
    bool want_raw;   /* of JSON: `raw` of every event is wanted, and what stands beside them */
    bool recover;    /* skip what is damaged, keep what is whole, and say so */
    bool in_order;   /* of a recording: the events of all threads in the order of time. Without it
                        those of a thread are, and a reader may take one thread after the other */

    /* How many bytes of the inputs were read so far, as they lie there; NULL: nobody asks. */
    _Atomic uint64_t *read_bytes;

    /* Sees every byte of a file as it lies there (packed, if it is packed), in order; may be called
     * on a thread of the reader's own, but never by two at once. NULL: nobody. A reader of folders
     * does not call it. */
    void (*tap)(void *context, uint32_t session, const void *bytes, size_t len);
    void *tap_context;
};

/* What a reader has to say of its input as a whole. */
struct ot_reader_report {
    const struct ot_session *sessions; /* valid until close, as the texts in it */
    size_t n_sessions;
    struct ot_counts counts; /* losses that are no events: added to those of the events */
    struct ot_warnings warnings;
};

struct ot_reader_class {
    const char *name;   /* for people: "LTTng/CTF trace folder" */
    const char *format; /* for machines: "ctf" */

    /* OT_OK if `path` is an input of this kind, OT_END if it is something else. Anything negative
     * means: of this kind, but broken, and `err` says how. Looks, and never reads it all. */
    int (*recognise)(const char *path, struct ot_err *err);

    /* Opens all paths as one input: recordings in the order of time, whole slices file by file. The
     * paths are not kept. "-" is standard input, for a class that can stream. */
    int (*open)(const char *const *paths, size_t n_paths, const struct ot_reader_opts *opts,
                struct ot_reader **ret_reader, struct ot_err *err);

    /* OT_OK with the next event, OT_END after the last one. The event's texts are valid until the
     * next call. After a failure only `close` may be called. */
    int (*next)(struct ot_reader *reader, struct ot_event *ret_event, struct ot_err *err);

    /* Final once `next` has said OT_END; NULL for a class whose events say everything. */
    void (*report)(const struct ot_reader *reader, struct ot_reader_report *ret_report);

    /* Takes NULL. */
    void (*close)(struct ot_reader *reader);
};

#endif
