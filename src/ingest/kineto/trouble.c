#include "ingest/kineto/place.h"
#include "ingest/kineto/recover.h"
#include "ingest/kineto/state.h"

void ot_trace_warn(struct ot_kineto_trace *trace, enum ot_warning warning, uint64_t number,
                   const unsigned char *at)
{
    struct ot_kineto_place place =
        ot_kineto_place(number, ot_kineto_window_offset(&trace->window, at), trace->opts.is_packed);
    ot_warnings_add(&trace->builder.warnings, warning, 1, place.text);
}

static void keep_trouble(struct ot_kineto_trace *trace, const struct ot_err *err)
{
    if (!trace->has_trouble)
        trace->trouble = *err;
    trace->has_trouble = true;
}

static bool in_events(const struct ot_kineto_trace *trace)
{
    return trace->phase == OT_PHASE_EVENTS;
}

static int refuse_foreign(uint64_t n_events, struct ot_err *err)
{
    char none[64];
    snprintf(none, sizeof(none), "none of its %" PRIu64 " events is", n_events);
    return ot_err_set(err, OT_ERR_INPUT,
                      "seems to be a Chrome trace of something else: %s of a kind that "
                      "torch.profiler writes; give a trace that torch.profiler exported",
                      n_events == 1 ? "its only event is not" : none);
}

int ot_trace_finish(struct ot_kineto_trace *trace, struct ot_err *err)
{
    trace->phase = OT_PHASE_DONE;
    ot_kineto_build_end(&trace->builder);
    if (trace->has_trouble && trace->n_yielded == 0) {
        *err = trace->trouble;
        return OT_ERR_INPUT;
    }
    if (trace->builder.n_foreign && !trace->builder.is_of_torch)
        return refuse_foreign(trace->builder.n_foreign, err);
    int64_t latest_ns;
    if (trace->session.has_base &&
        __builtin_add_overflow(trace->builder.latest_ns, trace->session.base_ns, &latest_ns))
        return ot_err_set(err, OT_ERR_INPUT,
                          "ts and baseTimeNanoseconds: more nanoseconds than 64 bits can count");
    return OT_END;
}

int ot_trace_end_early(struct ot_kineto_trace *trace, int code, struct ot_err *err)
{
    const unsigned char *end = trace->window.end;
    bool is_inside = in_events(trace) && trace->raw.at;
    uint64_t number = in_events(trace) ? trace->n_events + is_inside : 0;
    struct ot_kineto_place place = ot_kineto_place(
        number, ot_kineto_window_offset(&trace->window, end), trace->opts.is_packed);
    struct ot_err reason = *err;
    if (code == OT_END)
        ot_err_set(&reason, OT_ERR_INPUT, "ends early, %s%s",
                   is_inside ? "inside "
                   : number  ? "behind "
                             : "at ",
                   place.text);
    bool is_one = trace->n_yielded == 1;
    ot_err_set(err, OT_ERR_INPUT, "%s: %" PRIu64 " %s read%s%s", reason.msg, trace->n_yielded,
               is_one ? "event was" : "events were", trace->n_yielded ? "; --recover keeps " : "",
               trace->n_yielded == 0 ? ""
               : is_one              ? "it"
                                     : "them");
    if (!trace->opts.recover)
        return trace->n_yielded ? OT_ERR_DAMAGED : OT_ERR_INPUT;
    keep_trouble(trace, err);
    trace->builder.counts.truncated_inputs++;
    ot_trace_warn(trace, OT_WARN_TRUNCATED, number, end);
    return ot_trace_finish(trace, err);
}

static int resume_in_events(struct ot_kineto_trace *trace, const unsigned char *at,
                            struct ot_err *err)
{
    bool was_event = trace->raw.at;
    trace->n_events += was_event;
    trace->raw.at = NULL;
    /* A comma with nothing behind it. */
    if (!was_event && at < trace->window.end && *at == ']') {
        trace->at = at;
        trace->parser.segment = OT_STATE_LIST_VALUE;
        return OT_TRACE_AGAIN;
    }
    enum ot_kineto_landing landing;
    int code = ot_kineto_resync(&trace->window, trace->at, at, &trace->at, &landing, err);
    if (code < 0)
        return code;
    if (landing == OT_LANDING_END)
        return ot_trace_end_early(trace, OT_END, err);
    trace->parser.segment = landing == OT_LANDING_EVENT ? OT_STATE_LIST_COMMA : OT_STATE_LIST_VALUE;
    return OT_TRACE_AGAIN;
}

static int resume_at_list(struct ot_kineto_trace *trace, const unsigned char *at,
                          struct ot_err *err)
{
    enum ot_kineto_landing landing;
    int code = ot_kineto_find_list(&trace->window, at, &trace->at, &landing, err);
    if (code < 0)
        return code;
    if (landing == OT_LANDING_END)
        return ot_trace_end_early(trace, OT_END, err);
    ot_trace_enter_list(trace, trace->at);
    return OT_TRACE_AGAIN;
}

/* A bracket too many may have closed the list before its time: then events follow. */
static int resume_behind_list(struct ot_kineto_trace *trace, const unsigned char *at,
                              struct ot_err *err)
{
    enum ot_kineto_landing landing;
    int code = ot_kineto_resync(&trace->window, at, at, &trace->at, &landing, err);
    if (code < 0)
        return code;
    if (landing != OT_LANDING_EVENT)
        return ot_trace_finish(trace, err);
    ot_trace_enter_list(trace, trace->at);
    trace->parser.segment = OT_STATE_LIST_COMMA;
    return OT_TRACE_AGAIN;
}

/* Puts the place in front of what is in `err`. False: that is the error. */
static bool forgives(struct ot_kineto_trace *trace, uint64_t number, const unsigned char *at,
                     struct ot_err *err)
{
    struct ot_kineto_place place =
        ot_kineto_place(number, ot_kineto_window_offset(&trace->window, at), trace->opts.is_packed);
    ot_err_context(err, "%s", place.text);
    if (!trace->opts.recover)
        return false;
    keep_trouble(trace, err);
    trace->builder.counts.damaged_events++;
    ot_trace_warn(trace, OT_WARN_DAMAGED_EVENT, number, at);
    return true;
}

int ot_trace_damaged(struct ot_kineto_trace *trace, const unsigned char *at, const char *what,
                     struct ot_err *err)
{
    uint64_t number = in_events(trace) ? trace->n_events + 1 : 0;
    ot_err_set(err, OT_ERR_INPUT, "%s", what);
    if (!forgives(trace, number, at, err))
        return number || trace->n_yielded ? OT_ERR_DAMAGED : OT_ERR_INPUT;
    if (in_events(trace))
        return resume_in_events(trace, at, err);
    bool had_list = trace->seen & 1u << OT_MEMBER_EVENTS;
    return had_list ? resume_behind_list(trace, at, err) : resume_at_list(trace, at, err);
}

int ot_trace_disbelieve(struct ot_kineto_trace *trace, int code, struct ot_err *err)
{
    const unsigned char *at = code == OT_ERR_INPUT ? trace->builder.fault_at : trace->raw.at;
    if (code == OT_ERR_INPUT)
        return forgives(trace, trace->n_events, at, err) ? OT_TRACE_AGAIN : OT_ERR_DAMAGED;
    struct ot_kineto_place place =
        ot_kineto_place(trace->n_events, trace->builder.offset, trace->opts.is_packed);
    ot_err_context(err, "%s", place.text);
    return code;
}

int ot_trace_more(struct ot_kineto_trace *trace, const unsigned char *keep, struct ot_err *err)
{
    if (trace->window.end - keep > OT_WINDOW_MAX_LEN)
        return ot_trace_damaged(trace, trace->window.end, "more than 64 MiB in one piece", err);
    int code = ot_kineto_window_grow(&trace->window, keep, &trace->at, err);
    if (code == OT_OK)
        return OT_TRACE_AGAIN;
    return code == OT_END || code == OT_ERR_INPUT ? ot_trace_end_early(trace, code, err) : code;
}

int ot_trace_stopped(struct ot_kineto_trace *trace, const struct ot_json_cursor *cur,
                     enum ot_json_code code, const unsigned char *keep, struct ot_err *err)
{
    return code == OT_JSON_MORE ? ot_trace_more(trace, keep, err)
                                : ot_trace_damaged(trace, cur->fault_at, cur->fault, err);
}
