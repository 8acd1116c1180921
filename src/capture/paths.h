/* paths.h: where the parts of optally and the commands of the user lie.
 */
#ifndef OT_CAPTURE_PATHS_H
#define OT_CAPTURE_PATHS_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

/* The folder with the tracer, its writers and the babeltrace2 plugin: ../lib/optally as seen from
 * the running program, so that a tree works wherever it is put. OT_ERR_MISSING: no tracer there. */
int ot_paths_lib_dir(char ret_dir[PATH_MAX], struct ot_err *err);

enum ot_command { OT_COMMAND_FOUND, OT_COMMAND_NOT_FOUND, OT_COMMAND_NOT_EXECUTABLE };

/* Looks for `command` as execvp() would. *ret_path is written when it was found. */
enum ot_command ot_paths_find_command(const char *command, char ret_path[PATH_MAX]);

/* Makes a folder for a recording's sockets and other small files. */
int ot_paths_make_run_dir(char ret_dir[PATH_MAX], struct ot_err *err);

/* Removes `path` and what is below it; never follows a link. Errors are ignored: what cannot be
 * removed stays. */
void ot_paths_remove_tree(const char *path);

/* The same for what is below it alone. */
void ot_paths_empty_tree(const char *path);

/* False also for what is no folder, or cannot be looked into. */
bool ot_paths_is_empty_folder(const char *path);

#endif
