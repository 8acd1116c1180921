/* timeline_chrome_calls.h: recordings in the JSON of Chrome's traces.
 *
 * Entries and exits become whole slices. They come in the order of their ends; of those with the
 * same times the outer one comes first, as in traces of torch.profiler, whose readers have nothing
 * else to tell them apart by. What an entry tells beside its name is kept, as text, while its call
 * is open. Memory: that, and one slice per thread. One thread.
 */
#ifndef OT_CLI_TIMELINE_CHROME_CALLS_H
#define OT_CLI_TIMELINE_CHROME_CALLS_H

#include "cli/timeline_chrome.h"
#include "emit/chrome/writer.h"
#include "model/event.h"
#include "model/session.h"

struct ot_chrome_calls;

/* NULL when memory is out. `writer` is borrowed; nothing else writes to it meanwhile. */
struct ot_chrome_calls *ot_chrome_calls_new(struct ot_chrome_writer *writer);

/* Events in the order of time: the first one decides what all times count from. */
int ot_chrome_calls_feed(struct ot_chrome_calls *calls, const struct ot_event *event,
                         struct ot_err *err);

/* All have come. Adds to the totals what became of them. */
int ot_chrome_calls_end(struct ot_chrome_calls *calls, const struct ot_session *session,
                        struct ot_timeline_chrome_totals *totals, struct ot_err *err);

/* Takes NULL. */
void ot_chrome_calls_free(struct ot_chrome_calls *calls);

#endif
