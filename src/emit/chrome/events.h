/* events.h: calls and allocations as torch.profiler writes them.
 *
 * Times are microseconds since a base, with three decimals: exactly the nanoseconds. Names and
 * hosts may be any bytes. What cannot be told of an event is left out. Any thread.
 */
#ifndef OT_EMIT_CHROME_EVENTS_H
#define OT_EMIT_CHROME_EVENTS_H

#include <stdint.h>

#include "base/str.h"
#include "base/text.h"
#include "model/event.h"

/* Where an event is. */
struct ot_chrome_place {
    struct ot_text host; /* of a process that is not on the first host: becomes a part of its pid,
                            which others there may have, too; else empty */
    int64_t vpid;
    uint64_t vtid;
    int64_t base_ns;
};

/* The category that torch.profiler gives to what is of this backend; else the backend's name. */
const char *ot_chrome_category(int backend);

/* The members of "args" that an entry tells; nothing for NULL. */
void ot_chrome_add_args(struct ot_str *str, const struct ot_event_args *args);

/* A call from ts_ns on; `args` is as ot_chrome_add_args() made it. Without an end (dur_ns < 0) it
 * is an event that begins. */
void ot_chrome_add_call(struct ot_str *str, const struct ot_chrome_place *place,
                        const char *category, struct ot_text name, int64_t ts_ns, int64_t dur_ns,
                        struct ot_text args);

/* An allocation or a release. */
void ot_chrome_add_memory(struct ot_str *str, const struct ot_chrome_place *place, int64_t ts_ns,
                          const struct ot_event_args *args);

/* What a process or thread is called; nothing for what only orders them. */
void ot_chrome_add_label(struct ot_str *str, const struct ot_chrome_place *place,
                         const struct ot_event_args *args);

#endif
