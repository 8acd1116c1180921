/* folder_files.h: the regular files at any depth below a folder, in the byte order of their
 * relative paths. Links are followed, as they are when a trace is read. */
#ifndef OT_CLI_FOLDER_FILES_H
#define OT_CLI_FOLDER_FILES_H

#include <stddef.h>

#include "base/err.h"

/* What a folder can make us hold. */
enum { OT_FOLDER_FILES_MAX = 1 << 20 };

struct ot_folder_files {
    char **paths;
    size_t n;
    size_t cap;
    size_t root_len; /* bytes of each path that come before the relative one */
};

/* A zeroed struct is an empty list. Release it also after a failure. */
int ot_folder_files_list(struct ot_folder_files *files, const char *folder, struct ot_err *err);

void ot_folder_files_release(struct ot_folder_files *files);

#endif
