/* trace.h: the JSON text of one trace, as a stream of events.
 *
 * Bytes come in chunks, from wherever; memory depends on the largest event and not on the size of
 * the trace. An event or a member of the outermost object has at most about OT_WINDOW_MAX_LEN
 * bytes. One thread.
 */
#ifndef OT_INGEST_KINETO_TRACE_H
#define OT_INGEST_KINETO_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/kineto/engine.h"
#include "ingest/kineto/window.h"
#include "model/counts.h"
#include "model/event.h"
#include "model/session.h"
#include "model/warnings.h"

struct ot_kineto_trace;

struct ot_kineto_trace_opts {
    uint32_t session;
    bool want_text; /* as in struct ot_reader_opts */
    bool want_marks;
    bool want_raw;
    bool recover;
    bool is_packed; /* the bytes are not those of the file; errors say so */

    /* With want_text: what the times count from, if that is known beforehand. */
    bool has_base;
    int64_t base_ns;

    const struct ot_kineto_engine *engine; /* NULL: the best one */
    bool learns_nothing;                   /* no guesses (segments.h); for tests */
};

/* NULL when memory is out. */
struct ot_kineto_trace *ot_kineto_trace_new(const struct ot_kineto_chunks *chunks,
                                            const struct ot_kineto_trace_opts *opts);

/* As struct ot_reader_class has it; the sentence lacks the path. */
int ot_kineto_trace_next(struct ot_kineto_trace *trace, struct ot_event *ret_event,
                         struct ot_err *err);

/* What is known by now; all there is after OT_END. The texts live as long as the trace; `path` is
 * empty. */
const struct ot_session *ot_kineto_trace_session(const struct ot_kineto_trace *trace);
const struct ot_counts *ot_kineto_trace_counts(const struct ot_kineto_trace *trace);
const struct ot_warnings *ot_kineto_trace_warnings(const struct ot_kineto_trace *trace);

/* Takes NULL. */
void ot_kineto_trace_free(struct ot_kineto_trace *trace);

#endif
