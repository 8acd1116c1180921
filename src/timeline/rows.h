/* rows.h: the rows that a lane is drawn in, each a track with a stack of what is open in it.
 *
 * The slices of a lane come in the order of their starts. Each goes into the first row that has a
 * place for it: where it lies inside all that is open, or nothing is. Ends are written when time
 * has gone past them, before anything else of their row. Private to this folder. One thread.
 */
#ifndef OT_TIMELINE_ROWS_H
#define OT_TIMELINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "timeline/describe.h"
#include "timeline/record.h"

struct ot_row;

/* Zeroed but for `describe`, which is borrowed. */
struct ot_rows {
    struct ot_describe *describe;
    uint32_t lane;
    bool nests;
    int64_t offset_ns;   /* to be added to the lane's times */
    struct ot_row *rows; /* of the lane, and spare ones behind them */
    size_t n_rows;
    size_t n_all_rows;
    size_t cap;
};

/* Ends the lane before, and makes the first row of this one. */
int ot_rows_begin(struct ot_rows *rows, uint32_t lane, bool nests, int64_t offset_ns,
                  struct ot_err *err);

/* Puts a slice into a row, and says which and its track; its begin is to be written now. OT_END:
 * no row has a place for it, and there are too many already. */
int ot_rows_put(struct ot_rows *rows, const struct ot_timeline_record *record, size_t *ret_row,
                uint64_t *ret_uuid, struct ot_err *err);

/* The first row's track, with all ended that a record comes after. */
uint64_t ot_rows_first(struct ot_rows *rows, const struct ot_timeline_record *record);

/* Writes the ends that are left. */
void ot_rows_end(struct ot_rows *rows);

void ot_rows_release(struct ot_rows *rows);

#endif
