/* event.h: what an event of the JSON text means.
 *
 * A builder belongs to one trace and keeps what its events have to know of each other, and counts
 * what was odd. What it hands out is valid until its next event, and while the window stays. One
 * thread. A zeroed struct is ready once `session` and the options are set.
 */
#ifndef OT_INGEST_KINETO_EVENT_H
#define OT_INGEST_KINETO_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "ingest/kineto/open_calls.h"
#include "ingest/kineto/raw.h"
#include "model/counts.h"
#include "model/event.h"
#include "model/session.h"
#include "model/warnings.h"

enum { OT_LEGACY_PIDS_MAX = 64, OT_EVENT_TEXTS = 8 };

struct ot_kineto_builder {
    uint32_t session;
    bool want_text;
    bool want_marks;
    bool is_packed;                 /* as in struct ot_kineto_trace_opts */
    const struct ot_session *facts; /* what is known of the session by now */

    struct ot_counts counts;
    struct ot_warnings warnings;

    uint64_t number; /* of the event, from 1 */
    uint64_t offset; /* of its first byte */
    struct ot_event_args args;
    struct ot_str texts[OT_EVENT_TEXTS]; /* those that do not lie in the window as they are */
    size_t n_texts;
    struct ot_str payload;

    struct ot_open_calls open;
    int64_t legacy_pids[OT_LEGACY_PIDS_MAX]; /* processes whose name is "CPU functions" */
    size_t n_legacy_pids;
    int64_t latest_ns; /* the end of the latest slice */

    bool is_of_torch;   /* an event was of a kind that torch.profiler writes */
    uint64_t n_foreign; /* events before that one; metadata does not count */

    const unsigned char *fault_at; /* after OT_ERR_INPUT */
};

/* OT_ERR_INPUT: the event cannot be believed; `err` says in a phrase what is wrong with the bytes
 * at fault_at. OT_ERR_NOMEM: memory, or another limit. */
int ot_kineto_build(struct ot_kineto_builder *builder, const struct ot_kineto_raw *raw,
                    struct ot_event *ret_event, struct ot_err *err);

/* After the last event: counts the calls that were never ended. */
void ot_kineto_build_end(struct ot_kineto_builder *builder);

/* Counts a warning, with the event at work as its place. */
void ot_kineto_warn(struct ot_kineto_builder *builder, enum ot_warning warning);

void ot_kineto_builder_release(struct ot_kineto_builder *builder);

#endif
