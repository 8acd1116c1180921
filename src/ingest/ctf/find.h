/* find.h: the CTF trace folders below a path.
 *
 * A trace folder is one that holds a file `metadata`; an LTTng recording has them some levels
 * down, one per user or process. Symbolic links below the path are not followed.
 */
#ifndef OT_INGEST_CTF_FIND_H
#define OT_INGEST_CTF_FIND_H

#include <stddef.h>

#include "base/err.h"

/* What an input can make us hold and walk. */
enum { OT_CTF_MAX_FOLDERS = 1 << 16, OT_CTF_MAX_LEVELS = 32 };

struct ot_ctf_folders {
    char **paths; /* in byte order of their names, level by level */
    size_t n_paths;
    size_t cap;
    char *stray_stream; /* the first file that is a CTF stream where no metadata is, or NULL */
};

/* Adds what is below `path`; finding nothing is OT_OK. A file instead of a folder is nothing.
 * OT_ERR_IO names a folder that cannot be read. A zeroed struct is empty. */
int ot_ctf_find(struct ot_ctf_folders *folders, const char *path, struct ot_err *err);

void ot_ctf_folders_release(struct ot_ctf_folders *folders);

#endif
