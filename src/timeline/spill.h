/* spill.h: sorts any number of records with a fixed amount of memory.
 *
 * Records are gathered until the memory is full, sorted, and written as a *run* to a temporary file
 * without a name; in the end the runs are merged, each through a part of the same memory. What fits
 * one run never touches the disk. Records that are equal in ot_timeline_before() come out in any
 * order. Call add any number of times, sort once, then next. One thread.
 */
#ifndef OT_TIMELINE_SPILL_H
#define OT_TIMELINE_SPILL_H

#include <stddef.h>

#include "base/err.h"
#include "timeline/record.h"

enum {
    OT_SPILL_RUN_RECORDS = 1 << 18, /* 14 MiB */
    /* A run's part while merging, at least: with so small ones the memory begins to grow, which is
     * at a thousand million records. */
    OT_SPILL_PART_RECORDS = 64
};

struct ot_spill;

/* `folder` gets the temporary file, and is borrowed. `run_records` for tests; else
 * OT_SPILL_RUN_RECORDS. NULL when memory is out. */
struct ot_spill *ot_spill_new(const char *folder, size_t run_records);

/* OT_ERR_IO: the temporary file; the sentence names the folder. */
int ot_spill_add(struct ot_spill *spill, const struct ot_timeline_record *record,
                 struct ot_err *err);

int ot_spill_sort(struct ot_spill *spill, struct ot_err *err);

/* OT_OK with the next record, valid until the next call; OT_END. */
int ot_spill_next(struct ot_spill *spill, const struct ot_timeline_record **ret_record,
                  struct ot_err *err);

/* Takes NULL. */
void ot_spill_free(struct ot_spill *spill);

#endif
