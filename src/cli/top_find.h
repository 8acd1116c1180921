/* top_find.h: the recording that `optally top` is to watch. */
#ifndef OT_CLI_TOP_FIND_H
#define OT_CLI_TOP_FIND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* The newest recording below optally-data that runs. OT_ERR_INPUT: none does. */
int ot_top_find(struct ot_str *ret_folder, struct ot_err *err);

/* Whether `folder` is a recording that can be watched, and the command it is of (empty where
 * nothing says so). */
int ot_top_check(const char *folder, struct ot_str *ret_command, struct ot_err *err);

/* Whether a process that runs still writes a log in `folder`, as far as anybody here can see. */
bool ot_top_is_written(const char *folder);

/* True while `record` most likely still waits for a process to load PyTorch: it says now and then
 * what time it is. */
bool ot_top_is_fresh(const char *folder);

#endif
