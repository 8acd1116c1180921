/* outdir.h: the folder that a recording goes to.
 *
 * Claimed before the program starts, then kept or abandoned. A new folder is written in place. One
 * that replaces an older recording (--force) is written beside it and put in its place at the end,
 * so the older one is whole until then. The file optally.recording marks a folder as ours: nothing
 * else is ever replaced.
 */
#ifndef OT_CAPTURE_OUTDIR_H
#define OT_CAPTURE_OUTDIR_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct ot_outdir {
    char final[PATH_MAX];  /* as the user knows it */
    char work[PATH_MAX];   /* absolute; where to write */
    char target[PATH_MAX]; /* absolute; what is replaced, if anything is */
    bool replaces;
    bool made;        /* `work` did not exist before */
    bool has_marker;  /* what is in `work` is ours */
    int made_parents; /* folders above `final` that did not exist before */
};

/* optally-data/DATE-TIME-NAME, and -NUMBER from 2 on; NAME is the script's or else the command's.
 */
void ot_outdir_default(char ret_path[PATH_MAX], char *const *command, int number);

/* OT_ERR_IO: it cannot be made; OT_ERR_INPUT: something is there already. Nothing is left behind
 * then. `command` and `writer` go into the marker. */
int ot_outdir_claim(struct ot_outdir *out, const char *path, bool force, const char *writer,
                    char *const *command, struct ot_err *err);

/* Puts the folder in its place. The recording stays in out->work when that fails. */
int ot_outdir_keep(struct ot_outdir *out, struct ot_err *err);

/* Removes what was made since the claim. */
void ot_outdir_abandon(struct ot_outdir *out);

#endif
