/* reader.h: what reads an input.
 *
 * A kind of input is a constant table of functions and a row in detect.c; nothing else learns its
 * name. A reader belongs to one thread.
 */
#ifndef OT_INGEST_READER_H
#define OT_INGEST_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/event.h"

struct ot_reader;

struct ot_reader_opts {
    bool want_text; /* event_name and payload of every event are wanted; costs time */
};

struct ot_reader_class {
    const char *name; /* for people: "LTTng/CTF trace folder" */

    /* OT_OK if `path` is an input of this kind, OT_END if it is something else. Anything negative
     * means: of this kind, but broken, and `err` says how. Looks, and never reads it all. */
    int (*recognise)(const char *path, struct ot_err *err);

    /* Opens all paths as one input in the order of time. The paths are not kept. */
    int (*open)(const char *const *paths, size_t n_paths, const struct ot_reader_opts *opts,
                struct ot_reader **ret_reader, struct ot_err *err);

    /* OT_OK with the next event, OT_END after the last one. The event's texts are valid until the
     * next call. After a failure only `close` may be called. */
    int (*next)(struct ot_reader *reader, struct ot_event *ret_event, struct ot_err *err);

    /* Takes NULL. */
    void (*close)(struct ot_reader *reader);
};

#endif
