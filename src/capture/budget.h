/* budget.h: a recording's size limit, which its processes share (base/oplog.h), and the part of it
 * that needs somebody who sees all of them: in a ring, logs of processes that have ended make room.
 */
#ifndef OT_CAPTURE_BUDGET_H
#define OT_CAPTURE_BUDGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/oplog.h"

struct ot_budget {
    char dir[PATH_MAX];
    struct ot_oplog_budget *shared; /* NULL: there is no limit */
};

/* Makes the file in `dir`. OT_ERR_IO; nothing is left then. */
int ot_budget_open(struct ot_budget *budget, const char *dir, uint64_t max_bytes, bool is_ring,
                   struct ot_err *err);

/* In a ring that is nearly full: removes the logs of processes that have ended, those that ended
 * first before the others, until there is some room again, and notes in the marker what that costs.
 * One log always stays. */
void ot_budget_make_room(struct ot_budget *budget);

/* Removes the file, unless processes go on that it has to bind. */
void ot_budget_close(struct ot_budget *budget);

#endif
