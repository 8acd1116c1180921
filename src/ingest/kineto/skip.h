/* skip.h: JSON values that mean nothing, and are validated all the same.
 *
 * Compiled once for each instruction set that scan.h knows. No recursion, and a value may come in
 * parts.
 */
#ifndef OT_INGEST_KINETO_SKIP_H
#define OT_INGEST_KINETO_SKIP_H

#include "ingest/kineto/lex.h"

enum expect { EXPECT_VALUE, EXPECT_FIRST_VALUE, EXPECT_KEY, EXPECT_FIRST_KEY, EXPECT_MORE_OR_END };

static inline void lex_skip_init(struct ot_json_skip *skip, unsigned base)
{
    skip->base = base;
    skip->depth = base;
    skip->expect = EXPECT_VALUE;
}

static inline bool lex_in_object(const struct ot_json_skip *skip)
{
    return skip->objects[skip->depth / 64] >> skip->depth % 64 & 1;
}

static inline enum ot_json_code lex_open(struct ot_json_cursor *cur, struct ot_json_skip *skip)
{
    if (skip->depth >= OT_JSON_MAX_DEPTH)
        return lex_fault(cur, cur->at, "more than 1024 brackets inside each other");
    skip->depth++;
    uint64_t bit = UINT64_C(1) << skip->depth % 64;
    uint64_t *word = &skip->objects[skip->depth / 64];
    bool is_object = *cur->at == '{';
    *word = is_object ? *word | bit : *word & ~bit;
    skip->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_VALUE;
    cur->at++;
    return OT_JSON_OK;
}

static inline void lex_close(struct ot_json_cursor *cur, struct ot_json_skip *skip)
{
    cur->at++;
    skip->depth--;
    skip->expect = EXPECT_MORE_OR_END;
}

static inline enum ot_json_code lex_skip_key(struct ot_json_cursor *cur)
{
    const unsigned char *start = cur->at;
    struct ot_json_value key;
    if (*cur->at != '"')
        return lex_fault(cur, cur->at, "not a key in quotes");
    cur->at++;
    enum ot_json_code code = lex_string(cur, &key);
    if (code == OT_JSON_OK && lex_space(cur) != ':')
        code = lex_fault(cur, cur->at, "no ':' behind a key");
    cur->at = code == OT_JSON_OK ? cur->at + 1 : start;
    return code;
}

/* A run of usual scalars in an array, from the first byte of one. Leaves the cursor where something
 * else comes: behind a scalar, or where a value has to begin. True if it went over any. */
static inline bool lex_skip_scalars(struct ot_json_cursor *cur, struct ot_json_skip *skip)
{
    const unsigned char *start = cur->at;
    for (;;) {
        struct ot_json_value value;
        const unsigned char *behind = *cur->at == '"' ? lex_quick_string(cur->at + 1, &value)
                                                      : lex_quick_number(cur->at, cur->end, &value);
        if (!behind)
            return cur->at != start;
        cur->at = behind;
        skip->expect = EXPECT_MORE_OR_END;
        if (*behind != ',')
            return true;
        cur->at++;
        skip->expect = EXPECT_VALUE;
        lex_space(cur);
    }
}

static inline enum ot_json_code lex_skip_value(struct ot_json_cursor *cur,
                                               struct ot_json_skip *skip)
{
    if (*cur->at == '[' || *cur->at == '{')
        return lex_open(cur, skip);
    bool in_array = skip->depth > skip->base && !lex_in_object(skip);
    if (in_array && lex_skip_scalars(cur, skip))
        return OT_JSON_OK;
    struct ot_json_value value;
    enum ot_json_code code = lex_scalar(cur, &value);
    if (code == OT_JSON_OK)
        skip->expect = EXPECT_MORE_OR_END;
    return code;
}

static inline enum ot_json_code lex_skip_more(struct ot_json_cursor *cur, struct ot_json_skip *skip)
{
    bool in_object = lex_in_object(skip);
    if (*cur->at == ',') {
        cur->at++;
        skip->expect = in_object ? EXPECT_KEY : EXPECT_VALUE;
        return OT_JSON_OK;
    }
    if (*cur->at != (in_object ? '}' : ']'))
        return lex_fault(cur, cur->at,
                         in_object ? "no ',' or '}' behind a value"
                                   : "no ',' or ']' behind a value");
    lex_close(cur, skip);
    return OT_JSON_OK;
}

/* Goes on from where `skip` and the cursor are. After OT_JSON_MORE both are where they can go on
 * once the cursor has more bytes. */
static inline enum ot_json_code lex_skip(struct ot_json_cursor *cur, struct ot_json_skip *skip)
{
    enum ot_json_code code;
    do {
        unsigned char c = lex_space(cur);
        if ((skip->expect == EXPECT_FIRST_VALUE && c == ']') ||
            (skip->expect == EXPECT_FIRST_KEY && c == '}')) {
            lex_close(cur, skip);
            code = OT_JSON_OK;
        } else if (skip->expect <= EXPECT_FIRST_VALUE) {
            code = lex_skip_value(cur, skip);
        } else if (skip->expect <= EXPECT_FIRST_KEY) {
            code = lex_skip_key(cur);
            skip->expect = code == OT_JSON_OK ? EXPECT_VALUE : skip->expect;
        } else {
            code = lex_skip_more(cur, skip);
        }
        if (code != OT_JSON_OK)
            return code;
    } while (skip->depth != skip->base || skip->expect != EXPECT_MORE_OR_END);
    return OT_JSON_OK;
}

/* Any value, all of it. `depth`: brackets open around it. */
static inline enum ot_json_code lex_value(struct ot_json_cursor *cur, struct ot_json_value *value,
                                          unsigned depth)
{
    if (*cur->at != '[' && *cur->at != '{')
        return lex_scalar(cur, value);
    const unsigned char *start = cur->at;
    struct ot_json_skip skip;
    lex_skip_init(&skip, depth);
    enum ot_json_code code = lex_skip(cur, &skip);
    if (code != OT_JSON_OK)
        return code;
    uint8_t type = *start == '[' ? OT_JSON_ARRAY : OT_JSON_OBJECT;
    *value = (struct ot_json_value){start, (uint32_t)(cur->at - start), type, 0};
    return OT_JSON_OK;
}

#endif
