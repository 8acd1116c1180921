/* strangers.h: what a path seems to be that no reader takes, and what would work instead. */
#ifndef OT_INGEST_STRANGERS_H
#define OT_INGEST_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { OT_STRANGER_BYTES = 4096 }; /* as many from the start are looked at */

/* Fills `err` with one sentence and returns OT_ERR_INPUT, or OT_ERR_IO if the path cannot be
 * read. Looks, and never reads it all. */
int ot_describe_stranger(const char *path, struct ot_err *err);

/* The same for a stream that begins with these bytes, unpacked if it was packed; `len` is less than
 * OT_STRANGER_BYTES only if there are no more. The sentence lacks the name. */
int ot_describe_bytes(const unsigned char *bytes, size_t len, bool is_packed, struct ot_err *err);

#endif
