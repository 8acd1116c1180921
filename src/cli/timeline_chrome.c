#include "cli/timeline_chrome.h"

#include <string.h>

#include "cli/timeline_chrome_calls.h"
#include "emit/chrome/writer.h"
#include "ingest/detect.h"
#include "stats/completeness.h"

static const char copied_format[] = "kineto";

static int copy(struct ot_chrome_writer *writer, const struct ot_event *event,
                struct ot_timeline_chrome_totals *totals, struct ot_err *err)
{
    if (event->kind == OT_EVENT_MEMBER && ot_chrome_is_losses(event->raw))
        return OT_OK; /* said anew at the end, with what is lost here */
    if (event->kind == OT_EVENT_MEMBER)
        return ot_chrome_add_member(writer, event->raw, err);
    ot_chrome_add_event(writer, event->raw);
    totals->n_slices += event->kind == OT_EVENT_SLICE;
    return OT_OK;
}

/* Until the reader has no more: OT_OK then. `calls` is NULL for a trace that is copied. */
static int write_events(const struct ot_reader_class *class, struct ot_reader *reader,
                        struct ot_chrome_writer *writer, struct ot_chrome_calls *calls,
                        struct ot_timeline_chrome_totals *totals, struct ot_err *err)
{
    struct ot_event event;
    int code;
    while ((code = class->next(reader, &event, err)) == OT_OK) {
        code = calls ? ot_chrome_calls_feed(calls, &event, err) : copy(writer, &event, totals, err);
        if (code < 0)
            return code;
    }
    return code == OT_END ? OT_OK : code;
}

/* A copy has what is odd as the trace has it: it lacks only what could not be read. */
static void forget_oddities(struct ot_timeline_chrome_totals *totals)
{
    static const bool is_loss[OT_WARNING_COUNT] = {
        [OT_WARN_DAMAGED_EVENT] = true,
        [OT_WARN_REPLACED_CHARACTERS] = true,
        [OT_WARN_TRUNCATED] = true,
    };
    const struct ot_counts all = totals->counts;
    totals->counts = (struct ot_counts){
        .events_read = all.events_read,
        .discarded_events = all.discarded_events,
        .discarded_unknown = all.discarded_unknown,
        .damaged_events = all.damaged_events,
        .truncated_inputs = all.truncated_inputs,
        .lost_names = all.lost_names,
        .left_out_calls = all.left_out_calls,
    };
    for (int i = 0; i < OT_WARNING_COUNT; i++) {
        if (!is_loss[i])
            totals->warnings.of[i].n = 0;
    }
}

static int write_trace(const struct ot_reader_class *class, struct ot_reader *reader,
                       struct ot_chrome_writer *writer, struct ot_timeline_chrome_totals *totals,
                       struct ot_err *err)
{
    struct ot_chrome_calls *calls = NULL;
    if (!totals->is_copy) {
        calls = ot_chrome_calls_new(writer);
        if (!calls)
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a trace");
    }
    int code = write_events(class, reader, writer, calls, totals, err);
    struct ot_reader_report report = {0};
    if (code == OT_OK && class->report)
        class->report(reader, &report);
    static const struct ot_session nothing = {0};
    if (code == OT_OK && calls)
        code = ot_chrome_calls_end(calls, report.n_sessions ? &report.sessions[0] : &nothing,
                                   totals, err);
    ot_counts_add(&totals->counts, &report.counts);
    totals->warnings = report.warnings;
    if (totals->is_copy)
        forget_oddities(totals);
    struct ot_counts told = totals->counts;
    told.left_out_calls += totals->n_left_out;
    if (code == OT_OK)
        code = ot_chrome_add_losses(writer, &told, err);
    if (code == OT_OK)
        ot_chrome_finish(writer);
    totals->n_events = writer->n_events;
    totals->n_replaced = writer->n_replaced;
    ot_chrome_calls_free(calls);
    return code;
}

int ot_timeline_chrome(const char *const *inputs, size_t n_inputs,
                       const struct ot_timeline_chrome_opts *opts, FILE *out,
                       struct ot_timeline_chrome_totals *ret_totals, struct ot_err *err)
{
    const struct ot_reader_class *class = NULL;
    struct ot_reader *reader = NULL;
    const struct ot_reader_opts reading = {.recover = opts->recover,
                                           .want_marks = true,
                                           .want_raw = true,
                                           .in_order = true,
                                           .read_bytes = opts->read_bytes};
    int code = ot_detect(inputs, n_inputs, &class, err);
    if (code < 0)
        return code;
    struct ot_timeline_chrome_totals totals = {.is_copy =
                                                   strcmp(class->format, copied_format) == 0};
    if (totals.is_copy && n_inputs > 1)
        return ot_err_set(err, OT_ERR_USAGE,
                          "%zu traces of torch.profiler for one in its own format, which holds one "
                          "session: give them one by one, or write a Perfetto trace (--format "
                          "pftrace)",
                          n_inputs);
    code = class->open(inputs, n_inputs, &reading, &reader, err);
    if (code < 0)
        return code;
    struct ot_chrome_writer writer = {.out = out};
    code = write_trace(class, reader, &writer, &totals, err);
    ot_chrome_release(&writer);
    class->close(reader);
    if (code == OT_OK)
        *ret_totals = totals;
    return code;
}
