/* keep.h: the bytes of a trace, kept while they are read.
 *
 * What is packed already (gzip, zstd) is kept as it is; other bytes are packed with zstd, into a
 * file with ".zst" at the end of its name. The bytes come from one thread, which may be another one
 * than opens and ends.
 */
#ifndef OT_CORPUS_KEEP_H
#define OT_CORPUS_KEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ot_keep;

/* The file will be FOLDER/NAME or FOLDER/NAME.zst; the folder is there. OT_ERR_NOMEM. */
int ot_keep_new(const char *folder, const char *name, struct ot_keep **ret_keeper,
                struct ot_err *err);

/* A failure is told at the end. */
void ot_keep_add(struct ot_keep *keep, const void *bytes, size_t len);

struct ot_kept {
    char name[NAME_MAX + 1];
    bool is_packed;  /* by us */
    uint64_t n_read; /* bytes that came */
    uint64_t n_kept;
};

/* Once. OT_ERR_IO: not all of it could be written. */
int ot_keep_end(struct ot_keep *keep, struct ot_kept *ret_kept, struct ot_err *err);

void ot_keep_free(struct ot_keep *keep); /* takes NULL */

/* The name that a trace is kept under: the last part of its path, printable UTF-8 and not long. */
void ot_keep_name(const char *path, char ret_name[NAME_MAX + 1]);

#endif
