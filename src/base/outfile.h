/* outfile.h: a file that is written beside its place and put there when it is whole.
 *
 * Until then nothing is in its place but what was there before, and a process that is killed leaves
 * nothing behind, but for file systems without files that have no name (NFS): there it leaves
 * `.optally-XXXXXX`. "-" is standard output. What is no regular file (a pipe, /dev/null) is written
 * to directly. One thread.
 */
#ifndef OT_BASE_OUTFILE_H
#define OT_BASE_OUTFILE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

enum { OT_OUTFILE_WORK_BYTES = 64 };

struct ot_outfile {
    FILE *out;             /* to write to; its errors are found when it is kept */
    const char *name;      /* for people; borrowed, but for "standard output" */
    char target[PATH_MAX]; /* absolute; empty: it is written to directly */
    char folder[PATH_MAX]; /* that the target is in; empty: none */
    char work[PATH_MAX + OT_OUTFILE_WORK_BYTES]; /* the file beside; empty: it has no name */
    mode_t mode;
};

/* OT_ERR_INPUT: a folder is in its place, or it is one of the inputs or would lie in one.
 * OT_ERR_IO: it cannot be made. Nothing is left behind then. `name` is kept. */
int ot_outfile_open(struct ot_outfile *file, const char *name, const char *const *inputs,
                    size_t n_inputs, struct ot_err *err);

/* Where what belongs to it may lie for a while: $TMPDIR, or beside it, or else /tmp. */
const char *ot_outfile_temp_folder(const struct ot_outfile *file);

/* Closes it and puts it in its place. When that fails nothing is left of it, and what was there
 * stays. `ret_bytes`, if not NULL, gets its size; 0 where it has none. */
int ot_outfile_keep(struct ot_outfile *file, off_t *ret_bytes, struct ot_err *err);

/* Closes and removes what was made; does nothing once it was kept, or for a zeroed struct. */
void ot_outfile_abandon(struct ot_outfile *file);

#endif
