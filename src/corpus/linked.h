/* linked.h: what is remembered of an artifact that stays where it is. */
#ifndef OT_CORPUS_LINKED_H
#define OT_CORPUS_LINKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The size of a file and when it was changed last; of a folder, those of all files at and below
 * it, links followed: their sum and the newest. OT_ERR_IO. */
int ot_linked_look(const char *path, uint64_t *ret_bytes, int64_t *ret_mtime_ns,
                   struct ot_err *err);

#endif
