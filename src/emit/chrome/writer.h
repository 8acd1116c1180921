/* writer.h: a trace in the JSON of Chrome's traces, as torch.profiler writes them.
 *
 * An object with "traceEvents" and what stands beside them. Events go straight to the file; what
 * stands beside comes before them as long as there are none, and is kept until the end after that.
 * Write errors stay in the FILE, where the caller finds them at the end. One thread.
 */
#ifndef OT_EMIT_CHROME_WRITER_H
#define OT_EMIT_CHROME_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"
#include "model/counts.h"

/* What can be kept for behind the events: as much as a reader takes in one piece. */
enum { OT_CHROME_TAIL_MAX_BYTES = 64 * 1024 * 1024 };

struct ot_chrome_writer {
    FILE *out; /* borrowed */
    uint64_t n_events;
    uint64_t n_members;
    uint64_t n_replaced; /* bytes and characters that JSON does not allow */
    struct ot_str tail;
};

/* Zeroed but for `out` is a writer at its beginning. */

/* One member, `"key": value`, mended (mend.h). OT_ERR_NOMEM: memory, or the limit. */
int ot_chrome_add_member(struct ot_chrome_writer *writer, struct ot_text member,
                         struct ot_err *err);

/* One event in its braces, mended. */
void ot_chrome_add_event(struct ot_chrome_writer *writer, struct ot_text event);

/* The same for one that is valid. */
void ot_chrome_put_event(struct ot_chrome_writer *writer, struct ot_text event);

/* The member that says what the trace lacks, so that who reads it knows; none if it lacks nothing.
 * Once, and last. */
int ot_chrome_add_losses(struct ot_chrome_writer *writer, const struct ot_counts *counts,
                         struct ot_err *err);

/* Whether a member is that of another such trace. */
bool ot_chrome_is_losses(struct ot_text member);

void ot_chrome_finish(struct ot_chrome_writer *writer);

void ot_chrome_release(struct ot_chrome_writer *writer);

#endif
