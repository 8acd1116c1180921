#include "ingest/kineto/trace.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/kineto/lex.h"
#include "ingest/kineto/state.h"
#include "ingest/strangers.h"

enum { MARK_LEN = 3 };

/* OT_OK: behind the first `n_skipped` bytes from trace->at on lie `len` more; or at least one, or
 * none, before the end or a failure. */
static int look_at_start(struct ot_kineto_trace *trace, size_t n_skipped, size_t len,
                         struct ot_err *err)
{
    size_t seen_len = trace->at ? (size_t)(trace->window.end - trace->at) : 0;
    if (seen_len >= n_skipped + len)
        return OT_OK;
    int code = ot_kineto_window_grow(&trace->window, trace->at, &trace->at, err);
    if (code == OT_OK)
        return OT_TRACE_AGAIN;
    if (seen_len > n_skipped || code == OT_END)
        return OT_OK;
    return code == OT_ERR_INPUT ? ot_trace_end_early(trace, code, err) : code;
}

/* What begins at trace->at is no JSON. */
static int refuse(struct ot_kineto_trace *trace, struct ot_err *err)
{
    int code;
    do
        code = look_at_start(trace, 0, OT_STRANGER_BYTES, err);
    while (code == OT_TRACE_AGAIN);
    if (code != OT_OK)
        return code;
    return ot_describe_bytes(trace->at, (size_t)(trace->window.end - trace->at),
                             trace->opts.is_packed, err);
}

/* How many bytes come before the first one of the JSON text, as far as they are there. */
static size_t count_before(const struct ot_kineto_trace *trace)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'}; /* U+FEFF, which some editors put first */
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    bool has_mark = cur.at && cur.end - cur.at >= MARK_LEN &&
                    ot_kineto_window_offset(&trace->window, cur.at) == 0 &&
                    memcmp(cur.at, mark, MARK_LEN) == 0;
    cur.at += has_mark ? MARK_LEN : 0;
    lex_space(&cur);
    return (size_t)(cur.at - trace->at);
}

static int begin(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    int code = look_at_start(trace, 0, MARK_LEN, err);
    if (code != OT_OK)
        return code;
    /* A little white space is kept: it can be the start of something else. */
    size_t n_before = count_before(trace);
    if (n_before > OT_STRANGER_BYTES) {
        trace->at += n_before;
        n_before = 0;
    }
    code = look_at_start(trace, n_before, 2, err);
    if (code != OT_OK)
        return code;
    const unsigned char *at = trace->at + n_before;
    if (at == trace->window.end)
        return ot_err_set(err, OT_ERR_INPUT, "there is nothing in it");
    unsigned char c = *at;
    bool is_utf16 = trace->window.end - at > 1 && at[1] == 0;
    if ((c != '{' && c != '[') || is_utf16)
        return refuse(trace, err);
    trace->at = at;
    trace->is_object = c == '{';
    trace->at++;
    if (!trace->is_object) {
        ot_trace_enter_list(trace, trace->at);
        return OT_TRACE_AGAIN;
    }
    trace->wants_key = true;
    trace->may_close = true;
    trace->phase = OT_PHASE_OBJECT;
    return OT_TRACE_AGAIN;
}

static int take_event(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    struct ot_kineto_builder *builder = &trace->builder;
    builder->number = ++trace->n_events;
    builder->offset = ot_kineto_window_offset(&trace->window, trace->raw.at);
    int code = ot_kineto_build(builder, &trace->raw, event, err);
    if (code != OT_OK)
        return ot_trace_disbelieve(trace, code, err);
    trace->n_yielded++;
    const unsigned char *brace = trace->raw.at;
    if (trace->opts.want_raw)
        event->raw = (struct ot_text){(const char *)brace, (size_t)(trace->at - brace)};
    return OT_OK;
}

static int read_events(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    enum ot_json_code code = trace->engine->parse(&trace->parser, &cur, &trace->raw);
    if (code != OT_JSON_OK && code != OT_JSON_CLOSED)
        return ot_trace_stopped(trace, &cur, code, trace->at, err);
    trace->at = cur.at;
    if (code == OT_JSON_OK)
        return take_event(trace, event, err);
    trace->phase = trace->is_object ? OT_PHASE_OBJECT : OT_PHASE_TAIL;
    return OT_TRACE_AGAIN;
}

static int read_tail(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    lex_space(&cur);
    if (cur.at != cur.end)
        return ot_trace_damaged(trace, cur.at, "more text behind the end of the trace", err);
    int code = ot_kineto_window_grow(&trace->window, cur.at, &trace->at, err);
    if (code == OT_OK)
        return OT_TRACE_AGAIN;
    if (code != OT_END)
        return code == OT_ERR_INPUT ? ot_trace_end_early(trace, code, err) : code;
    if (!(trace->seen & 1u << OT_MEMBER_EVENTS))
        return ot_err_set(err, OT_ERR_INPUT,
                          "JSON, but no trace of torch.profiler: there is no \"traceEvents\"");
    return ot_trace_finish(trace, err);
}

static int done(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)trace;
    (void)event;
    (void)err;
    return OT_END;
}

int ot_kineto_trace_next(struct ot_kineto_trace *trace, struct ot_event *ret_event,
                         struct ot_err *err)
{
    static int (*const phases[])(struct ot_kineto_trace * trace, struct ot_event * event,
                                 struct ot_err * err) = {[OT_PHASE_BEGIN] = begin,
                                                         [OT_PHASE_OBJECT] = ot_trace_read_object,
                                                         [OT_PHASE_SKIP] = ot_trace_read_skipped,
                                                         [OT_PHASE_EVENTS] = read_events,
                                                         [OT_PHASE_TAIL] = read_tail,
                                                         [OT_PHASE_DONE] = done};
    int code;
    do {
        code = phases[trace->phase](trace, ret_event, err);
    } while (code == OT_TRACE_AGAIN);
    return code;
}

struct ot_kineto_trace *ot_kineto_trace_new(const struct ot_kineto_chunks *chunks,
                                            const struct ot_kineto_trace_opts *opts)
{
    struct ot_kineto_trace *trace = calloc(1, sizeof(*trace));
    if (!trace)
        return NULL;
    trace->opts = *opts;
    trace->window.chunks = *chunks;
    trace->engine = opts->engine ? opts->engine : ot_kineto_engine();
    trace->builder.session = opts->session;
    trace->builder.want_text = opts->want_text;
    trace->builder.want_marks = opts->want_marks;
    trace->builder.is_packed = opts->is_packed;
    trace->builder.facts = &trace->session;
    trace->session.has_base = opts->has_base;
    trace->session.base_ns = opts->base_ns;
    trace->parser.segment = OT_STATE_LIST_OPEN;
    if (opts->learns_nothing || opts->want_text)
        return trace;
    trace->parser.segments = aligned_alloc(OT_SEGMENT_BYTES, sizeof(*trace->parser.segments));
    if (!trace->parser.segments) {
        ot_kineto_trace_free(trace);
        return NULL;
    }
    ot_kineto_segments_init(trace->parser.segments);
    return trace;
}

const struct ot_session *ot_kineto_trace_session(const struct ot_kineto_trace *trace)
{
    return &trace->session;
}

const struct ot_counts *ot_kineto_trace_counts(const struct ot_kineto_trace *trace)
{
    return &trace->builder.counts;
}

const struct ot_warnings *ot_kineto_trace_warnings(const struct ot_kineto_trace *trace)
{
    return &trace->builder.warnings;
}

void ot_kineto_trace_free(struct ot_kineto_trace *trace)
{
    if (!trace)
        return;
    free(trace->parser.segments);
    ot_kineto_builder_release(&trace->builder);
    ot_kineto_window_release(&trace->window);
    ot_arena_release(&trace->arena);
    free(trace);
}
