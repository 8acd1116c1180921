/* lex.h: JSON's tokens.
 *
 * Compiled once for each instruction set that scan.h knows. Beyond RFC 8259, strings may hold
 * control characters other than a line break: they occur in names, where they read as U+FFFD.
 */
#ifndef OT_INGEST_KINETO_LEX_H
#define OT_INGEST_KINETO_LEX_H

#include <stddef.h>

#include "ingest/kineto/json.h"
#include "ingest/kineto/scan.h"

static inline enum ot_json_code lex_fault(struct ot_json_cursor *cur, const unsigned char *at,
                                          const char *what)
{
    if (at >= cur->end)
        return OT_JSON_MORE;
    cur->fault_at = at;
    cur->fault = what;
    return OT_JSON_FAULT;
}

static inline bool lex_is_space(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The byte behind the white space; 0 at the end. */
static inline unsigned char lex_space(struct ot_json_cursor *cur)
{
    while (lex_is_space(*cur->at))
        cur->at++;
    return *cur->at;
}

static inline bool lex_is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* `at` is a backslash; *ret_len bytes belong together. */
static inline enum ot_json_code lex_escape(struct ot_json_cursor *cur, const unsigned char *at,
                                           size_t *ret_len)
{
    if (at[1] != 'u') {
        if (!at[1] || !strchr("\"\\/bfnrt", at[1]))
            return at + 1 >= cur->end ? OT_JSON_MORE
                                      : lex_fault(cur, at, "not an escape that JSON has");
        *ret_len = 2;
        return OT_JSON_OK;
    }
    for (size_t i = 2; i < 6; i++) {
        if (!lex_is_hex(at[i]))
            return at + i >= cur->end ? OT_JSON_MORE
                                      : lex_fault(cur, at, "not an escape that JSON has");
    }
    *ret_len = 6;
    return OT_JSON_OK;
}

static __attribute__((noinline)) enum ot_json_code lex_long_string(struct ot_json_cursor *cur,
                                                                   struct ot_json_value *value)
{
    const unsigned char *at = cur->at;
    unsigned flags = 0;
    for (;;) {
        uint32_t high;
        uint32_t specials = scan_specials(at, &high);
        if (!specials) {
            flags |= high ? OT_JSON_HIGH : 0;
            at += OT_SCAN_BLOCK;
            continue;
        }
        uint32_t before = (specials - 1) & ~specials;
        flags |= high & before ? OT_JSON_HIGH : 0;
        at += __builtin_ctz(specials);
        if (*at == '"')
            break;
        if (at >= cur->end)
            return OT_JSON_MORE;
        size_t len = 1;
        if (*at == '\\') {
            enum ot_json_code code = lex_escape(cur, at, &len);
            if (code != OT_JSON_OK)
                return code;
            flags |= OT_JSON_ESCAPES;
        } else if (*at == '\n') {
            return lex_fault(cur, at, "a line break inside a string");
        } else {
            flags |= OT_JSON_CONTROLS;
        }
        at += len;
    }
    *value =
        (struct ot_json_value){cur->at, (uint32_t)(at - cur->at), OT_JSON_STRING, (uint8_t)flags};
    cur->at = at + 1;
    return OT_JSON_OK;
}

/* From behind the opening quote to behind the closing one, if that is near and nothing odd comes
 * before it; else NULL. */
static inline const unsigned char *lex_quick_string(const unsigned char *at,
                                                    struct ot_json_value *value)
{
    uint32_t high;
    uint32_t specials = scan_specials(at, &high);
    if (!specials)
        return NULL;
    uint32_t len = (uint32_t)__builtin_ctz(specials);
    if (at[len] != '"')
        return NULL;
    uint32_t before = (specials - 1) & ~specials;
    *value = (struct ot_json_value){at, len, OT_JSON_STRING, high & before ? OT_JSON_HIGH : 0};
    return at + len + 1;
}

/* From behind the opening quote to behind the closing one. */
static inline enum ot_json_code lex_string(struct ot_json_cursor *cur, struct ot_json_value *value)
{
    const unsigned char *behind = lex_quick_string(cur->at, value);
    if (!behind)
        return lex_long_string(cur, value);
    cur->at = behind;
    return OT_JSON_OK;
}

static inline const unsigned char *lex_digits(const unsigned char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* Any number, step by step. */
static __attribute__((noinline)) enum ot_json_code lex_long_number(struct ot_json_cursor *cur,
                                                                   struct ot_json_value *value)
{
    const unsigned char *first = cur->at + (*cur->at == '-');
    const unsigned char *at = lex_digits(first);
    if (at == first)
        return lex_fault(cur, at, "not a JSON value");
    if (*first == '0' && at > first + 1)
        return lex_fault(cur, first, "a number that begins with 0");
    if (*at == '.') {
        first = at + 1;
        at = lex_digits(first);
        if (at == first)
            return lex_fault(cur, at, "a number without digits behind its point");
    }
    if (*at == 'e' || *at == 'E') {
        first = at + 1;
        first += *first == '+' || *first == '-';
        at = lex_digits(first);
        if (at == first)
            return lex_fault(cur, at, "a number without digits in its exponent");
    }
    if (at >= cur->end)
        return OT_JSON_MORE;
    *value = (struct ot_json_value){cur->at, (uint32_t)(at - cur->at), OT_JSON_NUMBER, 0};
    cur->at = at;
    return OT_JSON_OK;
}

/* Behind a number without sign and exponent that is not long, and does not touch the end; else
 * NULL. */
static inline const unsigned char *
lex_quick_number(const unsigned char *at, const unsigned char *end, struct ot_json_value *value)
{
    /* The upper half of the word are digits that are none. */
    uint64_t other = ~(uint64_t)scan_digits(at);
    unsigned len = (unsigned)__builtin_ctzll(other);
    if (len == 0 || (*at == '0' && len > 1))
        return NULL;
    if (at[len] == '.') {
        unsigned n_decimals = (unsigned)__builtin_ctzll(other >> (len + 1));
        if (n_decimals == 0)
            return NULL;
        len += 1 + n_decimals;
    }
    if (len >= OT_SCAN_BLOCK || (at[len] | 0x20) == 'e' || at + len >= end)
        return NULL;
    *value = (struct ot_json_value){at, len, OT_JSON_NUMBER, 0};
    return at + len;
}

static inline enum ot_json_code lex_number(struct ot_json_cursor *cur, struct ot_json_value *value)
{
    const unsigned char *behind = lex_quick_number(cur->at, cur->end, value);
    if (!behind)
        return lex_long_number(cur, value);
    cur->at = behind;
    return OT_JSON_OK;
}

static inline enum ot_json_code lex_word(struct ot_json_cursor *cur)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);
        if (memcmp(cur->at, words[i], len) == 0) {
            cur->at += len;
            return OT_JSON_OK;
        }
        size_t left = (size_t)(cur->end - cur->at);
        if (left < len && memcmp(cur->at, words[i], left) == 0)
            return OT_JSON_MORE;
    }
    return lex_fault(cur, cur->at, "not a JSON value");
}

/* A value that is neither array nor object. */
static inline enum ot_json_code lex_scalar(struct ot_json_cursor *cur, struct ot_json_value *value)
{
    unsigned char c = *cur->at;
    if (c == '"') {
        cur->at++;
        enum ot_json_code code = lex_string(cur, value);
        if (code != OT_JSON_OK)
            cur->at--;
        return code;
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return lex_number(cur, value);
    const unsigned char *start = cur->at;
    enum ot_json_code code = lex_word(cur);
    if (code == OT_JSON_OK)
        *value = (struct ot_json_value){start, (uint32_t)(cur->at - start), OT_JSON_WORD, 0};
    return code;
}

#endif
