/* makers.h: which forward operators have a backward side.
 *
 * Autograd numbers what it will have to go back through: a forward operator bears the number of its
 * thread's next node, and so do those that it calls; of all with one number the one that began last
 * made the node (src/fold/forward.h). Whether another one will follow is known only later. So the
 * recording is read once before it is drawn, and one bit is kept of each numbered forward operator.
 *
 * See all entries, rewind, then ask for each in the same order per thread. One thread.
 */
#ifndef OT_TIMELINE_MAKERS_H
#define OT_TIMELINE_MAKERS_H

#include <stdbool.h>

#include "base/err.h"
#include "model/backend.h"
#include "model/event.h"
#include "model/names.h"

struct ot_timeline_makers;

/* `names` is borrowed. NULL when memory is out. */
struct ot_timeline_makers *ot_timeline_makers_new(struct ot_names *names);

/* Any event; what is no entry of a forward operator with a number is passed by. */
int ot_timeline_makers_see(struct ot_timeline_makers *makers, const struct ot_event *event,
                           struct ot_err *err);

/* All were seen, or are to be asked for once more. */
void ot_timeline_makers_rewind(struct ot_timeline_makers *makers);

/* Whether this one, the next on its thread, made a node. False also for what was not seen before,
 * and for any other event. */
bool ot_timeline_makers_ask(struct ot_timeline_makers *makers, const struct ot_event *event);

/* Takes NULL. */
void ot_timeline_makers_free(struct ot_timeline_makers *makers);

/* Whether an event is one that bears a number and is no backward operator. */
static inline bool ot_timeline_is_forward(const struct ot_event *event)
{
    const struct ot_event_args *args = event->args;
    return event->kind == OT_EVENT_ENTRY && event->backend == OT_BACKEND_PYTORCH && args &&
           args->has_sequence && args->sequence >= 0 && args->forward_thread == 0;
}

#endif
