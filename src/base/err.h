/* err.h: errors as values.
 *
 * A function that can fail returns OT_OK, OT_END or a negative code and writes one sentence into
 * the caller's struct ot_err. Nothing below cli/ prints or exits: each layer puts its context in
 * front of the sentence and passes the code on. A struct ot_err needs no release; it may be
 * overwritten at any time and belongs to one thread.
 */
#ifndef OT_BASE_ERR_H
#define OT_BASE_ERR_H

#include <stdarg.h>

enum ot_code {
    OT_OK = 0,
    OT_END = 1,          /* no more items; not a failure */
    OT_ERR_NOMEM = -1,   /* memory or another limit of this process */
    OT_ERR_IO = -2,      /* the system refused: open, read, write, fork, ... */
    OT_ERR_INPUT = -3,   /* the input is not what it should be */
    OT_ERR_USAGE = -4,   /* the caller's options make no sense */
    OT_ERR_MISSING = -5, /* something that has to be installed is not there */
    OT_ERR_DAMAGED = -6  /* a part of the input is not what it should be; one can go on behind it */
};

struct ot_err {
    char msg[1024]; /* one sentence, no newline, cut rather than overflowed */
};

/* Writes the sentence and returns `code`, so that `return ot_err_set(err, OT_ERR_IO, ...)` is the
 * whole error path. `err` may be NULL. */
int ot_err_set(struct ot_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As ot_err_set(), with ": " and the text of errno at the end. errno is kept. */
int ot_err_sys(struct ot_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "<text>: " in front of the sentence that is there. `err` may be NULL. */
void ot_err_context(struct ot_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
