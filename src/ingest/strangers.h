/* strangers.h: what a path seems to be that no reader takes, and what would work instead. */
#ifndef OT_INGEST_STRANGERS_H
#define OT_INGEST_STRANGERS_H

#include "base/err.h"

/* Fills `err` with one sentence and returns OT_ERR_INPUT, or OT_ERR_IO if the path cannot be
 * read. Looks, and never reads it all. */
int ot_describe_stranger(const char *path, struct ot_err *err);

#endif
