/* parse.h: the next event of a list, taken apart.
 *
 * Compiled once for each instruction set that scan.h knows (engine.h).
 */
#ifndef OT_INGEST_KINETO_PARSE_H
#define OT_INGEST_KINETO_PARSE_H

#include "ingest/kineto/categories.h"
#include "ingest/kineto/engine.h"
#include "ingest/kineto/keys.h"
#include "ingest/kineto/skip.h"

/* What each state of the grammar allows next. */
static const struct grammar {
    uint8_t on_comma; /* the state it leads to; NOWHERE: not allowed */
    uint8_t on_close;
    unsigned char close;
    bool wants_event;
    bool wants_key;
    const char *otherwise;
} grammar[OT_STATE_COUNT] = {
#define NOWHERE OT_STATE_COUNT
    [OT_STATE_LIST_OPEN] = {NOWHERE, NOWHERE, ']', true, false, "not an event in braces"},
    [OT_STATE_LIST_COMMA] = {NOWHERE, NOWHERE, 0, true, false, "not an event in braces"},
    [OT_STATE_LIST_VALUE] = {OT_STATE_LIST_COMMA, NOWHERE, ']', false, false,
                             "no ',' or ']' behind an event"},
    [OT_STATE_EVENT_OPEN] = {NOWHERE, OT_STATE_LIST_VALUE, '}', false, true, "not a key in quotes"},
    [OT_STATE_EVENT_COMMA] = {NOWHERE, NOWHERE, 0, false, true, "not a key in quotes"},
    [OT_STATE_EVENT_VALUE] = {OT_STATE_EVENT_COMMA, OT_STATE_LIST_VALUE, '}', false, false,
                              "no ',' or '}' behind a value"},
    [OT_STATE_ARGS_OPEN] = {NOWHERE, OT_STATE_EVENT_VALUE, '}', false, true, "not a key in quotes"},
    [OT_STATE_ARGS_COMMA] = {NOWHERE, NOWHERE, 0, false, true, "not a key in quotes"},
    [OT_STATE_ARGS_VALUE] = {OT_STATE_ARGS_COMMA, OT_STATE_EVENT_VALUE, '}', false, false,
                             "no ',' or '}' behind a value"},
#undef NOWHERE
};

/* Brackets open around a member's value: the file's, the list's, the event's, and args'. */
enum { EVENT_DEPTH = 3, ARGS_DEPTH = 4, FIXED_MAX_LEN = 24 };

static inline void hop_gives(struct ot_kineto_hop *hop, unsigned field)
{
    uint32_t bit = field == OT_FIELD_NONE ? 0 : OT_FIELD_BIT(field);
    hop->repeats |= (hop->bits & bit) != 0;
    hop->bits |= bit;
}

/* Reads `"key":` and the space behind. *ret_field: what it means. */
static inline enum ot_json_code read_key(struct ot_json_cursor *cur, bool in_args,
                                         unsigned *ret_field)
{
    struct ot_json_value key;
    cur->at++;
    enum ot_json_code code = lex_string(cur, &key);
    if (code != OT_JSON_OK)
        return code;
    if (lex_space(cur) != ':')
        return lex_fault(cur, cur->at, "no ':' behind a key");
    cur->at++;
    lex_space(cur);
    if (cur->at >= cur->end)
        return OT_JSON_MORE;
    *ret_field = ot_kineto_field_of(&key, in_args);
    return OT_JSON_OK;
}

/* Behind a key. True if a value begins here that is not a part of the hop. */
static inline bool enter_value(struct ot_json_cursor *cur, unsigned field, bool in_args,
                               struct ot_kineto_hop *hop, struct ot_kineto_raw *raw)
{
    hop_gives(hop, field);
    if (field == OT_FIELD_ARGS) {
        hop->bits &= ~OT_FIELDS_OF_ARGS;
        hop->clear = OT_FIELDS_OF_ARGS;
        raw->values[OT_FIELD_ARGS] = (struct ot_json_value){cur->at, 0, OT_JSON_OBJECT, 0};
        if (*cur->at == '{') {
            cur->at++;
            hop->to = OT_STATE_ARGS_OPEN;
            return false;
        }
    }
    hop->to = in_args ? OT_STATE_ARGS_VALUE : OT_STATE_EVENT_VALUE;
    hop->field = (uint8_t)field;
    hop->is_string = *cur->at == '"';
    cur->at += hop->is_string;
    return true;
}

/* From the cursor, in state hop->to, to the next value or the end of the event. */
static inline enum ot_json_code walk(struct ot_json_cursor *cur, const unsigned char *start,
                                     struct ot_kineto_hop *hop, struct ot_kineto_raw *raw)
{
    for (;;) {
        const struct grammar *rule = &grammar[hop->to];
        unsigned char c = lex_space(cur);
        if (rule->wants_key && c == '"') {
            bool in_args = hop->to >= OT_STATE_ARGS_OPEN;
            unsigned field = OT_FIELD_NONE;
            enum ot_json_code code = read_key(cur, in_args, &field);
            if (code != OT_JSON_OK || enter_value(cur, field, in_args, hop, raw))
                return code;
        } else if (rule->wants_event && c == '{') {
            hop->opens_event = true;
            hop->event_at = (uint32_t)(cur->at - start);
            raw->at = cur->at;
            hop->to = OT_STATE_EVENT_OPEN;
            cur->at++;
        } else if (c == ',' && rule->on_comma != OT_STATE_COUNT) {
            hop->to = rule->on_comma;
            cur->at++;
        } else if (c == rule->close && c) {
            cur->at++;
            if (rule->on_close == OT_STATE_COUNT)
                return OT_JSON_CLOSED;
            if (hop->to >= OT_STATE_ARGS_OPEN) {
                struct ot_json_value *args = &raw->values[OT_FIELD_ARGS];
                args->len = (uint32_t)(cur->at - args->at);
            }
            hop->to = rule->on_close;
            hop->is_end = hop->to == OT_STATE_LIST_VALUE;
            if (hop->is_end)
                return OT_JSON_OK;
        } else {
            return lex_fault(cur, cur->at, rule->otherwise);
        }
    }
}

static inline bool is_fixed(const struct ot_kineto_hop *hop)
{
    return (hop->field == OT_FIELD_PH || hop->field == OT_FIELD_CAT) && hop->is_string &&
           !hop->is_end && hop->n_fixed < OT_HOP_MAX_FIXED;
}

/* Makes the string at the cursor a part of the hop, if it is like those whose values are few.
 * OT_JSON_CLOSED: it is not. */
static inline enum ot_json_code swallow(struct ot_json_cursor *cur, const unsigned char *start,
                                        struct ot_kineto_hop *hop)
{
    struct ot_json_value value;
    enum ot_json_code code = lex_string(cur, &value);
    if (code != OT_JSON_OK)
        return code;
    if (value.flags || value.len > FIXED_MAX_LEN)
        return OT_JSON_CLOSED;
    hop->fixed[hop->n_fixed++] = (struct ot_kineto_fixed){
        .at = (uint32_t)(value.at - start), .len = (uint16_t)value.len, .field = hop->field};
    if (hop->field == OT_FIELD_CAT)
        hop->category = ot_kineto_category_of(ot_json_text(&value));
    return OT_JSON_OK;
}

/* The hop that the grammar says, with as many fixed values as a segment has room for. */
static enum ot_json_code find_hop(struct ot_json_cursor *cur, unsigned from,
                                  struct ot_kineto_hop *ret_hop, struct ot_kineto_raw *raw)
{
    const unsigned char *start = cur->at;
    struct ot_kineto_hop hop = {.to = (uint8_t)from};
    enum ot_json_code code = walk(cur, start, &hop, raw);
    if (code != OT_JSON_OK)
        return code;
    hop.len = (uint32_t)(cur->at - start);
    *ret_hop = hop;
    while (is_fixed(&hop)) {
        code = swallow(cur, start, &hop);
        if (code == OT_JSON_OK)
            code = walk(cur, start, &hop, raw);
        hop.len = (uint32_t)(cur->at - start);
        if (code == OT_JSON_CLOSED || hop.len > OT_SEGMENT_BYTES)
            break;
        if (code != OT_JSON_OK)
            return code;
        *ret_hop = hop;
    }
    cur->at = start + ret_hop->len;
    return OT_JSON_OK;
}

static inline void take_hop(const struct ot_kineto_hop *hop, const unsigned char *start,
                            struct ot_kineto_raw *raw)
{
    raw->repeated |= (raw->seen & hop->bits) | hop->repeats;
    raw->seen = (raw->seen & ~hop->clear) | hop->bits;
    if (hop->opens_event)
        raw->at = start + hop->event_at;
    for (unsigned i = 0; i < hop->n_fixed; i++) {
        const struct ot_kineto_fixed *fixed = &hop->fixed[i];
        raw->values[fixed->field] =
            (struct ot_json_value){start + fixed->at, fixed->len, OT_JSON_STRING, 0};
        if (fixed->field == OT_FIELD_CAT) {
            raw->category = hop->category;
            raw->category_at = start + fixed->at;
        }
    }
}

/* The value behind a hop; the cursor is where it begins. */
static __attribute__((noinline)) enum ot_json_code
take_value(struct ot_json_cursor *cur, const struct ot_kineto_hop *hop, struct ot_kineto_raw *raw)
{
    struct ot_json_value *value = &raw->values[hop->field];
    if (hop->is_string)
        return lex_string(cur, value);
    lex_space(cur); /* a segment may have been learned where less of it was */
    return lex_value(cur, value, hop->to == OT_STATE_ARGS_VALUE ? ARGS_DEPTH : EVENT_DEPTH);
}

/* Behind that value, if it is of the usual kind; else NULL. */
static inline const unsigned char *take_quickly(const unsigned char *at, const unsigned char *end,
                                                const struct ot_kineto_hop *hop,
                                                struct ot_kineto_raw *raw)
{
    struct ot_json_value *value = &raw->values[hop->field];
    return hop->is_string ? lex_quick_string(at, value) : lex_quick_number(at, end, value);
}

/* A segment that came after `after` before and is here again, or 0. */
static inline size_t guess(struct ot_kineto_segments *segments, size_t after,
                           const unsigned char *at)
{
    const uint16_t *next = segments->of[after].next;
    for (size_t i = 0; i < OT_SEGMENT_NEXT && next[i]; i++) {
        size_t found = next[i];
        const struct ot_kineto_segment *segment = &segments->of[found];
        if (!scan_same(at, segment->bytes, segment->hop.len))
            continue;
        if (i)
            ot_kineto_segments_prefer(segments, after, found);
        return found;
    }
    return 0;
}

/* The hop at the cursor, which then is behind it. *segment: the one before; then this one. `found`
 * is room for a hop that is in no segment. NULL: there is none, and *ret_code says why. */
static __attribute__((noinline)) const struct ot_kineto_hop *
search_hop(struct ot_kineto_segments *segments, size_t *segment, struct ot_json_cursor *cur,
           struct ot_kineto_hop *found, struct ot_kineto_raw *raw, enum ot_json_code *ret_code)
{
    const unsigned char *start = cur->at;
    unsigned from = segments ? segments->of[*segment].hop.to : (unsigned)*segment;
    *ret_code = find_hop(cur, from, found, raw);
    if (*ret_code != OT_JSON_OK)
        return NULL;
    *segment = segments ? ot_kineto_segments_learn(segments, *segment, found, start) : found->to;
    return found;
}

/* Engine's parse(). What is usual stays in registers: the cursor is for what is not. */
static enum ot_json_code parse_event(struct ot_kineto_parser *parser, struct ot_json_cursor *cur,
                                     struct ot_kineto_raw *raw)
{
    struct ot_kineto_segments *segments = parser->segments;
    if (segments)
        parser->segment = ot_kineto_segments_renew(segments, parser->segment);
    size_t segment = parser->segment;
    const unsigned char *at = cur->at;
    const unsigned char *end = cur->end;
    raw->seen = 0;
    raw->repeated = 0;
    raw->at = NULL;
    raw->category_at = NULL;
    for (;;) {
        const unsigned char *start = at;
        size_t next = segments ? guess(segments, segment, at) : 0;
        struct ot_kineto_hop found;
        const struct ot_kineto_hop *hop;
        enum ot_json_code code;
        if (next) {
            hop = &segments->of[next].hop;
            segment = next;
            at += hop->len;
        } else {
            cur->at = at;
            hop = search_hop(segments, &segment, cur, &found, raw, &code);
            if (!hop)
                return code;
            at = cur->at;
        }
        take_hop(hop, start, raw);
        if (hop->is_end)
            break;
        const unsigned char *behind = take_quickly(at, end, hop, raw);
        if (!behind) {
            cur->at = at;
            code = take_value(cur, hop, raw);
            if (code != OT_JSON_OK)
                return code;
            behind = cur->at;
        }
        at = behind;
    }
    cur->at = at;
    parser->segment = segment;
    return OT_JSON_OK;
}

#endif
