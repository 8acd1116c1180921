#include "ingest/kineto/skip.h"
#include "ingest/kineto/state.h"

/* In the outermost object a value is over, or will be by then. */
static void expect_comma(struct ot_kineto_trace *trace, const unsigned char *at)
{
    trace->at = at;
    trace->wants_key = false;
    trace->may_close = true;
}

void ot_trace_enter_list(struct ot_kineto_trace *trace, const unsigned char *at)
{
    expect_comma(trace, at);
    trace->seen |= 1u << OT_MEMBER_EVENTS;
    trace->phase = OT_PHASE_EVENTS;
    trace->parser.segment = OT_STATE_LIST_OPEN;
}

static int take_list(struct ot_kineto_trace *trace, const unsigned char *at, struct ot_err *err)
{
    if (*at != '[')
        return ot_trace_damaged(trace, at, "traceEvents: not an array", err);
    if (trace->seen & 1u << OT_MEMBER_EVENTS)
        return ot_trace_damaged(trace, at, "a second traceEvents", err);
    ot_trace_enter_list(trace, at + 1);
    return OT_TRACE_AGAIN;
}

/* The member from `key` on has been read. */
static int yield_member(struct ot_kineto_trace *trace, const unsigned char *key,
                        struct ot_event *event)
{
    *event = (struct ot_event){.kind = OT_EVENT_MEMBER,
                               .session = trace->builder.session,
                               .vpid = -1,
                               .raw = {(const char *)key, (size_t)(trace->at - key)}};
    return OT_OK;
}

static int take_member(struct ot_kineto_trace *trace, enum ot_kineto_member member,
                       struct ot_json_cursor *cur, struct ot_event *event, struct ot_err *err)
{
    struct ot_json_value value;
    const unsigned char *key = trace->at;
    const unsigned char *start = cur->at;
    enum ot_json_code code = lex_value(cur, &value, 1);
    if (code != OT_JSON_OK)
        return ot_trace_stopped(trace, cur, code, key, err);
    bool repeats = false;
    int taken = OT_OK;
    if (member == OT_MEMBER_LOSSES)
        ot_kineto_take_losses(&value, &trace->builder.counts);
    else if (member != OT_MEMBER_OTHER)
        taken =
            ot_kineto_take_member(member, &value, &trace->session, &trace->arena, &repeats, err);
    if (taken == OT_ERR_INPUT) {
        struct ot_err what = *err;
        return ot_trace_damaged(trace, start, what.msg, err);
    }
    if (taken < 0)
        return taken;
    bool is_known = member != OT_MEMBER_OTHER;
    if (is_known && (repeats || trace->seen & 1u << member))
        ot_trace_warn(trace, OT_WARN_DUPLICATE_KEY, 0, start);
    trace->seen |= 1u << member;
    expect_comma(trace, cur->at);
    return trace->opts.want_raw ? yield_member(trace, key, event) : OT_TRACE_AGAIN;
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

static int read_member(struct ot_kineto_trace *trace, struct ot_json_cursor *cur,
                       struct ot_event *event, struct ot_err *err)
{
    struct ot_json_value key;
    enum ot_json_code code = read_key(cur, &key);
    if (code != OT_JSON_OK)
        return ot_trace_stopped(trace, cur, code, trace->at, err);
    enum ot_kineto_member member = ot_kineto_member_of(&key);
    if (member == OT_MEMBER_EVENTS)
        return take_list(trace, cur->at, err);
    if (member != OT_MEMBER_OTHER || trace->opts.want_raw)
        return take_member(trace, member, cur, event, err);
    lex_skip_init(&trace->skip, 1);
    expect_comma(trace, cur->at);
    trace->phase = OT_PHASE_SKIP;
    return OT_TRACE_AGAIN;
}

int ot_trace_read_object(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    unsigned char c = lex_space(&cur);
    trace->at = cur.at;
    if (cur.at == cur.end)
        return ot_trace_more(trace, cur.at, err);
    if (c == '}' && trace->may_close) {
        trace->at++;
        trace->phase = OT_PHASE_TAIL;
        return OT_TRACE_AGAIN;
    }
    if (trace->wants_key)
        return c == '"' ? read_member(trace, &cur, event, err)
                        : ot_trace_damaged(trace, cur.at, "not a key in quotes", err);
    if (c != ',')
        return ot_trace_damaged(trace, cur.at, "no ',' or '}' behind a value", err);
    trace->at++;
    trace->wants_key = true;
    trace->may_close = false;
    return OT_TRACE_AGAIN;
}

int ot_trace_read_skipped(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err)
{
    (void)event;
    struct ot_json_cursor cur = {.at = trace->at, .end = trace->window.end};
    enum ot_json_code code = trace->engine->skip(&cur, &trace->skip);
    if (code != OT_JSON_OK)
        return ot_trace_stopped(trace, &cur, code, cur.at, err);
    trace->at = cur.at;
    trace->phase = OT_PHASE_OBJECT;
    return OT_TRACE_AGAIN;
}
