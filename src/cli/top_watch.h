/* top_watch.h: a recording that is watched: what follows it, and its last seconds. One thread. */
#ifndef OT_CLI_TOP_WATCH_H
#define OT_CLI_TOP_WATCH_H

#include "base/err.h"
#include "emit/top/top.h"

struct ot_watch;

/* `max_window_ns`: what will be asked for at most; `lookback_ns`: what the first poll sees. */
int ot_watch_open(const char *folder, uint64_t max_window_ns, uint64_t lookback_ns,
                  struct ot_watch **ret_watch, struct ot_err *err);

/* Sees what has come. OT_ERR_IO: the recording is gone. */
int ot_watch_poll(struct ot_watch *watch, struct ot_err *err);

/* The last `window_ns`, sorted. Valid until this is asked again, whatever is polled meanwhile. */
int ot_watch_view(struct ot_watch *watch, uint64_t window_ns, enum ot_top_sort sort,
                  struct ot_top **ret_top, struct ot_err *err);

void ot_watch_close(struct ot_watch *watch);

#endif
