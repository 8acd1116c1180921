/* intervals.h: from interval messages to a population. Private to this folder.
 *
 * Fields are found by name, so that the streams of other tools (THAPI) are read, too; their other
 * event classes are passed by. One thread.
 */
#ifndef OT_BT2_TALLY_INTERVALS_H
#define OT_BT2_TALLY_INTERVALS_H

#include <babeltrace2/babeltrace.h>

#include "base/err.h"
#include "stats/population.h"

struct ot_intervals;

/* `pop` is borrowed until ot_intervals_free(). NULL when memory is out. */
struct ot_intervals *ot_intervals_new(struct ot_population *pop);

/* Every kind of message may be added. OT_ERR_INPUT if an event is of no interval stream. */
int ot_intervals_add(struct ot_intervals *intervals, const bt_message *message, struct ot_err *err);

/* After the last message: completes the population's counts. */
void ot_intervals_end(struct ot_intervals *intervals);

void ot_intervals_free(struct ot_intervals *intervals);

#endif
