/* disk.h: files of the store: read whole, written for good, removed. */
#ifndef OT_CORPUS_DISK_H
#define OT_CORPUS_DISK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* A manifest of ours is a few kilobytes. */
enum { OT_DISK_MAX_BYTES = 1 << 28 };

/* ROOT/RELATIVE, made as printf does. OT_ERR_IO: too long. */
int ot_disk_path(char ret_path[PATH_MAX], struct ot_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* All of a file, with a NUL behind it. OT_ERR_IO: errno and the message say why. OT_ERR_INPUT: it
 * is larger than anything of ours. */
int ot_disk_read(struct ot_arena *arena, const char *path, char **ret_bytes, size_t *ret_len,
                 struct ot_err *err);

/* Writes a file aside, in the folder `aside`, synchronises and renames it. What was there is
 * replaced at once or not at all. */
int ot_disk_write(const char *path, const char *aside, const void *bytes, size_t len,
                  struct ot_err *err);

/* Makes what was renamed into a folder, or made in it, last. */
int ot_disk_sync_folder(const char *path, struct ot_err *err);

/* All regular files and folders at and below `path`. */
int ot_disk_sync_tree(const char *path, struct ot_err *err);

/* Synchronises the folder `from` and puts it at `to`. If something is there, they change places in
 * one step, so that readers find the one or the other. */
int ot_disk_place(const char *from, const char *to, struct ot_err *err);

/* A folder, unless it is there. */
int ot_disk_make_folder(const char *path, struct ot_err *err);

/* At and below; links are removed and not followed. It may be absent. */
int ot_disk_remove_tree(const char *path, struct ot_err *err);

/* The bytes of all regular files at and below, links not followed; 0 if it is absent. */
uint64_t ot_disk_tree_bytes(const char *path);

bool ot_disk_is_there(const char *path);

/* Calls `take` for each entry of a folder but "." and "..", in byte order, until it fails. */
int ot_disk_list(const char *path, int (*take)(void *context, const char *name, struct ot_err *err),
                 void *context, struct ot_err *err);

#endif
