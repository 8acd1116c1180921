/* aside.h: a folder that is written beside its place and put there when it is whole.
 *
 * Until then nothing is in its place but what was there before. The file optally.export marks a
 * folder as one of these: nothing else is ever replaced.
 */
#ifndef OT_CLI_ASIDE_H
#define OT_CLI_ASIDE_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct ot_aside {
    const char *name;      /* as the user knows it; borrowed */
    char target[PATH_MAX]; /* absolute */
    char work[PATH_MAX];   /* absolute; exists until keep or abandon */
    bool replaces;         /* something is in its place */
};

/* OT_ERR_INPUT: something is there already that may not be replaced. OT_ERR_IO: it cannot be made.
 * Nothing is left behind then. `name` is kept. */
int ot_aside_make(struct ot_aside *aside, const char *name, bool force, struct ot_err *err);

/* Puts it in its place. When that fails what was made is removed, and what was there stays. */
int ot_aside_keep(struct ot_aside *aside, struct ot_err *err);

/* Removes what was made. */
void ot_aside_abandon(struct ot_aside *aside);

#endif
