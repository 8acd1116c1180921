#include "ingest/kineto/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "ingest/kineto/event.h"
#include "ingest/kineto/header.h"
#include "ingest/kineto/recover.h"

/* What a phase returns beside OT_OK (an event), OT_END and errors. */
enum { AGAIN = 2 };

enum phase { PHASE_BEGIN, PHASE_OBJECT, PHASE_SKIP, PHASE_EVENTS, PHASE_TAIL, PHASE_DONE };

struct ot_kineto_trace {
    struct ot_kineto_trace_opts opts;
    struct ot_kineto_window window;
    const unsigned char *at; /* what has not been read yet */
    enum phase phase;

    const struct ot_kineto_engine *engine;
    struct ot_kineto_parser parser;
    struct ot_kineto_raw raw;
    struct ot_kineto_builder builder;
    uint64_t n_events; /* that were met, damaged ones included */
    uint64_t n_yielded;

    bool is_object; /* and not a bare list of events */
    bool wants_key; /* in the object: a comma, or its brace, was last */
    bool may_close; /* in the object: there is no comma before */
    uint32_t seen;  /* bits of enum ot_kineto_member */
    struct ot_json_skip skip;
    struct ot_session session;
    struct ot_arena arena;

    struct ot_err trouble; /* the first damage; matters if nothing else is found */
    bool has_trouble;
};

static const char *unit_of(const struct ot_kineto_trace *trace)
{
    return trace->opts.is_packed ? " of the unpacked text" : "";
}

static bool in_events(const struct ot_kineto_trace *trace)
{
    return trace->phase == PHASE_EVENTS;
}

/* "event 812 (byte 93211)", or without an event "byte 93211". */
static void name_place(const struct ot_kineto_trace *trace, uint64_t number, uint64_t offset,
                       char place[OT_WARNING_PLACE_BYTES])
{
    if (number)
        snprintf(place, OT_WARNING_PLACE_BYTES, "event %" PRIu64 " (byte %" PRIu64 "%s)", number,
                 offset, unit_of(trace));
    else
        snprintf(place, OT_WARNING_PLACE_BYTES, "byte %" PRIu64 "%s", offset, unit_of(trace));
}

static void warn_at(struct ot_kineto_trace *trace, enum ot_warning warning, uint64_t number,
                    const unsigned char *at)
{
    char place[OT_WARNING_PLACE_BYTES];
    name_place(trace, number, ot_kineto_window_offset(&trace->window, at), place);
    ot_warnings_add(&trace->builder.warnings, warning, 1, place);
}

static void keep_trouble(struct ot_kineto_trace *trace, const struct ot_err *err)
{
    if (!trace->has_trouble)
        trace->trouble = *err;
    trace->has_trouble = true;
}

/* In the outermost object a value is over, or will be by then. */
static void expect_comma(struct ot_kineto_trace *trace, const unsigned char *at)
{
    trace->at = at;
    trace->wants_key = false;
    trace->may_close = true;
}

static void enter_list(struct ot_kineto_trace *trace, const unsigned char *at)
{
    expect_comma(trace, at);
    trace->seen |= 1u << OT_MEMBER_EVENTS;
    trace->phase = PHASE_EVENTS;
    trace->parser.segment = OT_STATE_LIST_OPEN;
}

/* --- the end -------------------------------------------------------------------------------- */

static int finish(struct ot_kineto_trace *trace, struct ot_err *err)
{
    trace->phase = PHASE_DONE;
    ot_kineto_build_end(&trace->builder);
    if (trace->has_trouble && trace->n_yielded == 0) {
        *err = trace->trouble;
        return OT_ERR_INPUT;
    }
    int64_t latest_ns;
    if (trace->session.has_base &&
        __builtin_add_overflow(trace->builder.latest_ns, trace->session.base_ns, &latest_ns))
        return ot_err_set(err, OT_ERR_INPUT,
                          "ts and baseTimeNanoseconds: more nanoseconds than 64 bits can count");
    return OT_END;
}

/* There are no more bytes, and `code` is what the source said to that: OT_END or OT_ERR_INPUT. */
static int end_early(struct ot_kineto_trace *trace, int code, struct ot_err *err)
{
    struct ot_err reason;
    char where[OT_WARNING_PLACE_BYTES];
    const unsigned char *end = trace->window.end;
    bool is_inside = in_events(trace) && trace->raw.at;
    uint64_t number = in_events(trace) ? trace->n_events + is_inside : 0;
    name_place(trace, number, ot_kineto_window_offset(&trace->window, end), where);
    if (code == OT_END)
        ot_err_set(&reason, OT_ERR_INPUT, "ends early, %s%s",
                   is_inside ? "inside "
                   : number  ? "behind "
                             : "at ",
                   where);
    else
        ot_err_set(&reason, OT_ERR_INPUT, "%s", err->msg);
    ot_err_set(err, OT_ERR_INPUT, "%s: %" PRIu64 " events were read%s", reason.msg,
               trace->n_yielded, trace->n_yielded ? "; --recover keeps them" : "");
    if (!trace->opts.recover)
        return OT_ERR_INPUT;
    keep_trouble(trace, err);
    trace->builder.counts.truncated_inputs++;
    warn_at(trace, OT_WARN_TRUNCATED, number, end);
    return finish(trace, err);
}

/* --- damage --------------------------------------------------------------------------------- */

static int resume_in_events(struct ot_kineto_trace *trace, const unsigned char *at,
                            struct ot_err *err)
{
    trace->n_events += trace->raw.at != NULL;
    /* A comma with nothing behind it. */
    if (!trace->raw.at && at < trace->window.end && *at == ']') {
        trace->at = at;
        trace->parser.segment = OT_STATE_LIST_VALUE;
        return AGAIN;
    }
    trace->raw.at = NULL;
    enum ot_kineto_landing landing;
    int code = ot_kineto_resync(&trace->window, trace->at, at, &trace->at, &landing, err);
    if (code < 0)
        return code;
    if (landing == OT_LANDING_END)
        return end_early(trace, OT_END, err);
    trace->parser.segment = landing == OT_LANDING_EVENT ? OT_STATE_LIST_COMMA : OT_STATE_LIST_VALUE;
    return AGAIN;
}

/* Nothing can be made of the text at `at`. Without `recover` this is the end. */
static int damaged(struct ot_kineto_trace *trace, const unsigned char *at, const char *what,
                   struct ot_err *err)
{
    uint64_t number = in_events(trace) ? trace->n_events + 1 : 0;
    char where[OT_WARNING_PLACE_BYTES];
    name_place(trace, number, ot_kineto_window_offset(&trace->window, at), where);
    ot_err_set(err, OT_ERR_INPUT, "%s: %s", where, what);
    if (!trace->opts.recover)
        return OT_ERR_INPUT;
    keep_trouble(trace, err);
    trace->builder.counts.damaged_events++;
    warn_at(trace, OT_WARN_DAMAGED_EVENT, number, at);
    if (in_events(trace))
        return resume_in_events(trace, at, err);
    if (trace->seen & 1u << OT_MEMBER_EVENTS)
        return finish(trace, err);
    enum ot_kineto_landing landing;
    int code = ot_kineto_find_list(&trace->window, at, &trace->at, &landing, err);
    if (code < 0)
        return code;
    if (landing == OT_LANDING_END)
        return end_early(trace, OT_END, err);
    enter_list(trace, trace->at);
    return AGAIN;
}

/* Puts more bytes behind those from `keep` on, which become trace->at. AGAIN, or the way out. */
static int more(struct ot_kineto_trace *trace, const unsigned char *keep, struct ot_err *err)
{
    if (trace->window.end - keep > OT_TRACE_MAX_ITEM)
        return damaged(trace, trace->window.end, "more than 64 MiB in one piece", err);
    int code = ot_kineto_window_grow(&trace->window, keep, &trace->at, err);
    if (code == OT_OK)
        return AGAIN;
    return code == OT_END || code == OT_ERR_INPUT ? end_early(trace, code, err) : code;
}

/* What to do when a token came to nothing. */
static int stopped(struct ot_kineto_trace *trace, const struct ot_json_cursor *cur,
                   enum ot_json_code code, const unsigned char *keep, struct ot_err *err)
{
    return code == OT_JSON_MORE ? more(trace, keep, err)
                                : damaged(trace, cur->fault_at, cur->fault, err);
}

/* --- the phases ----------------------------------------------------------------------------- */

static int begin(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF, which some editors put first */
    size_t len = trace->at ? (size_t)(trace->window.end - trace->at) : 0;
    if (len < sizeof(mark)) {
        int code = ot_kineto_window_grow(&trace->window, trace->at, &trace->at, err);
        if (code == OT_OK)
            return AGAIN;
        if (code != OT_END)
            return code == OT_ERR_INPUT ? end_early(trace, code, err) : code;
    }
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    if (trace->window.end_offset == len && len >= 3 && memcmp(cur.at, mark, 3) == 0)
        cur.at += 3;
    unsigned char c = lex_space(&cur);
    trace->at = cur.at;
    if (cur.at == cur.end && trace->window.end_code == OT_OK)
        return more(trace, cur.at, err);
    if (cur.at == cur.end)
        return ot_err_set(err, OT_ERR_INPUT, "there is nothing in it");
    if (c != '{' && c != '[')
        return ot_err_set(err, OT_ERR_INPUT, "not JSON: it begins with neither '{' nor '['");
    trace->at++;
    trace->is_object = c == '{';
    if (trace->is_object) {
        trace->wants_key = true;
        trace->may_close = true;
        trace->phase = PHASE_OBJECT;
    } else {
        enter_list(trace, trace->at);
    }
    return AGAIN;
}

static int take_list(struct ot_kineto_trace *trace, const unsigned char *at, struct ot_err *err)
{
    if (*at != '[')
        return damaged(trace, at, "traceEvents: not an array", err);
    if (trace->seen & 1u << OT_MEMBER_EVENTS)
        return damaged(trace, at, "a second traceEvents", err);
    enter_list(trace, at + 1);
    return AGAIN;
}

static int take_member(struct ot_kineto_trace *trace, enum ot_kineto_member member,
                       struct ot_json_cursor *cur, struct ot_err *err)
{
    struct ot_json_value value;
    const unsigned char *start = cur->at;
    enum ot_json_code code = lex_value(cur, &value, 1);
    if (code != OT_JSON_OK)
        return stopped(trace, cur, code, trace->at, err);
    bool repeats = false;
    int taken =
        ot_kineto_take_member(member, &value, &trace->session, &trace->arena, &repeats, err);
    if (taken == OT_ERR_INPUT) {
        struct ot_err what = *err;
        return damaged(trace, start, what.msg, err);
    }
    if (taken < 0)
        return taken;
    if (repeats || trace->seen & 1u << member)
        warn_at(trace, OT_WARN_DUPLICATE_KEY, 0, start);
    trace->seen |= 1u << member;
    expect_comma(trace, cur->at);
    return AGAIN;
}

/* `"key":` and the space behind it; the cursor is at the quote. */
static enum ot_json_code read_key(struct ot_json_cursor *cur, struct ot_json_value *key)
{
    cur->at++;
    enum ot_json_code code = lex_string(cur, key);
    if (code != OT_JSON_OK)
        return code;
    if (lex_space(cur) != ':')
        return lex_fault(cur, cur->at, "no ':' behind a key");
    cur->at++;
    lex_space(cur);
    return cur->at < cur->end ? OT_JSON_OK : OT_JSON_MORE;
}

static int read_object(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    unsigned char c = lex_space(&cur);
    trace->at = cur.at;
    if (cur.at == cur.end)
        return more(trace, cur.at, err);
    if (c == '}' && trace->may_close) {
        trace->at++;
        trace->phase = PHASE_TAIL;
        return AGAIN;
    }
    if (!trace->wants_key) {
        if (c != ',')
            return damaged(trace, cur.at, "no ',' or '}' behind a value", err);
        trace->at++;
        trace->wants_key = true;
        trace->may_close = false;
        return AGAIN;
    }
    if (c != '"')
        return damaged(trace, cur.at, "not a key in quotes", err);
    struct ot_json_value key;
    enum ot_json_code code = read_key(&cur, &key);
    if (code != OT_JSON_OK)
        return stopped(trace, &cur, code, trace->at, err);
    enum ot_kineto_member member = ot_kineto_member_of(&key);
    if (member == OT_MEMBER_EVENTS)
        return take_list(trace, cur.at, err);
    if (member != OT_MEMBER_OTHER)
        return take_member(trace, member, &cur, err);
    lex_skip_init(&trace->skip, 1);
    expect_comma(trace, cur.at);
    trace->phase = PHASE_SKIP;
    return AGAIN;
}

static int read_skipped(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    enum ot_json_code code = trace->engine->skip(&cur, &trace->skip);
    if (code != OT_JSON_OK)
        return stopped(trace, &cur, code, cur.at, err);
    trace->at = cur.at;
    trace->phase = PHASE_OBJECT;
    return AGAIN;
}

static int take_event(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    struct ot_kineto_builder *builder = &trace->builder;
    builder->number = ++trace->n_events;
    builder->offset = ot_kineto_window_offset(&trace->window, trace->raw.at);
    int code = ot_kineto_build(builder, &trace->raw, event, err);
    if (code == OT_OK) {
        trace->n_yielded++;
        return OT_OK;
    }
    uint64_t offset = code == OT_ERR_INPUT
                          ? ot_kineto_window_offset(&trace->window, builder->fault_at)
                          : builder->offset;
    char where[OT_WARNING_PLACE_BYTES];
    name_place(trace, trace->n_events, offset, where);
    ot_err_context(err, "%s", where);
    if (code != OT_ERR_INPUT || !trace->opts.recover)
        return code;
    keep_trouble(trace, err);
    builder->counts.damaged_events++;
    warn_at(trace, OT_WARN_DAMAGED_EVENT, trace->n_events, builder->fault_at);
    return AGAIN;
}

static int read_events(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    enum ot_json_code code = trace->engine->parse(&trace->parser, &cur, &trace->raw);
    if (code == OT_JSON_OK) {
        trace->at = cur.at;
        return take_event(trace, event, err);
    }
    if (code == OT_JSON_CLOSED) {
        trace->at = cur.at;
        trace->phase = trace->is_object ? PHASE_OBJECT : PHASE_TAIL;
        return AGAIN;
    }
    return stopped(trace, &cur, code, trace->at, err);
}

static int read_tail(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    lex_space(&cur);
    if (cur.at != cur.end)
        return damaged(trace, cur.at, "more text behind the end of the trace", err);
    int code = ot_kineto_window_grow(&trace->window, cur.at, &trace->at, err);
    if (code == OT_OK)
        return AGAIN;
    if (code != OT_END)
        return code == OT_ERR_INPUT ? end_early(trace, code, err) : code;
    if (trace->is_object && !(trace->seen & 1u << OT_MEMBER_EVENTS))
        return ot_err_set(err, OT_ERR_INPUT,
                          "JSON, but no trace of torch.profiler: there is no \"traceEvents\"");
    return finish(trace, err);
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
                                 struct ot_err * err) = {
        [PHASE_BEGIN] = begin,        [PHASE_OBJECT] = read_object, [PHASE_SKIP] = read_skipped,
        [PHASE_EVENTS] = read_events, [PHASE_TAIL] = read_tail,     [PHASE_DONE] = done};
    int code;
    do {
        code = phases[trace->phase](trace, ret_event, err);
    } while (code == AGAIN);
    return code;
}

/* --- the rest ------------------------------------------------------------------------------- */

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
