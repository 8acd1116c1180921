/* file.h: a file that is put in its place when it is whole. Private to this folder.
 *
 * It is written beside its place under another name. What is no regular file, a pipe or /dev/null,
 * is written to directly. One thread.
 */
#ifndef OT_BT2_TIMELINE_FILE_H
#define OT_BT2_TIMELINE_FILE_H

#include <stdio.h>

#include "base/err.h"

struct ot_sink_file {
    FILE *out;
    char *path;
    char *folder; /* that `path` is in */
    char *work;   /* where it is written; NULL: at `path` */
};

/* OT_ERR_IO with a sentence that names `path`. Nothing is left behind then. */
int ot_sink_file_open(struct ot_sink_file *file, const char *path, struct ot_err *err);

/* Closes it and puts it in its place. On failure what was there stays. */
int ot_sink_file_keep(struct ot_sink_file *file, struct ot_err *err);

/* Takes zeroed ones, and those that were kept. */
void ot_sink_file_release(struct ot_sink_file *file);

#endif
