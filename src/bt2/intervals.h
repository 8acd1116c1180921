/* intervals.h: from interval messages to slices.
 *
 * Fields are found by name, so that the streams of other tools (THAPI) are read, too; their other
 * event classes are passed by. One thread.
 */
#ifndef OT_BT2_INTERVALS_H
#define OT_BT2_INTERVALS_H

#include <babeltrace2/babeltrace.h>

#include "base/err.h"
#include "model/counts.h"
#include "model/names.h"
#include "model/slice.h"

struct ot_intervals;

/* Who gets what is read. What a function returns is what ot_intervals_add() returns. */
struct ot_intervals_taker {
    struct ot_names *names; /* borrowed; a slice's ids are its */
    void *context;

    /* A call with its times, or a failed one. Its self time is not known. */
    int (*take_slice)(void *context, struct ot_slice *slice, struct ot_err *err);

    /* A call that never ended; it has no duration. */
    int (*take_unclosed)(void *context, const struct ot_slice *entry, struct ot_err *err);

    /* What was read and lost; there may be several. */
    void (*take_counts)(void *context, const struct ot_counts *counts);
};

/* NULL when memory is out. */
struct ot_intervals *ot_intervals_new(const struct ot_intervals_taker *taker);

/* Every kind of message may be added. OT_ERR_INPUT if an event is of no interval stream. */
int ot_intervals_add(struct ot_intervals *intervals, const bt_message *message, struct ot_err *err);

/* After the last message: counts what nobody has. */
void ot_intervals_end(struct ot_intervals *intervals);

void ot_intervals_free(struct ot_intervals *intervals);

#endif
