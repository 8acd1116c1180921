#include "ingest/kineto/recover.h"

#include <string.h>

#include "ingest/kineto/keys.h"
#include "ingest/kineto/lex.h"

/* What a decision may look at; white space beyond it is not looked through. Twice as much is in
 * view, so that it is the same however the bytes came. */
enum { LOOKAHEAD = 256 };

static const unsigned char *behind_space(const unsigned char *at, const unsigned char *end)
{
    while (at < end && lex_is_space(*at))
        at++;
    return at;
}

/* The string without escapes that may stand behind white space; else empty. */
static struct ot_text next_key(const unsigned char *at, const unsigned char *end)
{
    at = behind_space(at, end);
    if (at == end || *at != '"')
        return (struct ot_text){"", 0};
    const unsigned char *key = at + 1;
    const unsigned char *quote = memchr(key, '"', (size_t)(end - key));
    return quote ? (struct ot_text){(const char *)key, (size_t)(quote - key)}
                 : (struct ot_text){"", 0};
}

/* `end` is how far may be looked. */
static bool is_end_of_file(const unsigned char *at, const unsigned char *end,
                           const struct ot_kineto_window *window)
{
    return behind_space(at, end) == window->end && window->end_code != OT_OK;
}

static const unsigned char *horizon(const unsigned char *at, const struct ot_kineto_window *window)
{
    return window->end - at > LOOKAHEAD ? at + LOOKAHEAD : window->end;
}

/* `at` is behind a bracket that is behind a brace, as that of the list is; but arrays inside of
 * args end so, too. */
static bool looks_like_end(const unsigned char *at, const struct ot_kineto_window *window)
{
    const unsigned char *end = horizon(at, window);
    if (is_end_of_file(at, end, window))
        return true;
    at = behind_space(at, end);
    if (at == end)
        return false;
    return (*at == '}' && is_end_of_file(at + 1, end, window)) ||
           (*at == ',' && ot_kineto_is_header_key(next_key(at + 1, end)));
}

/* `at` is behind a brace. */
static bool looks_like_event(const unsigned char *at, const struct ot_kineto_window *window)
{
    return ot_kineto_is_event_key(next_key(at, horizon(at, window)));
}

static unsigned char last_solid(const unsigned char *start, const unsigned char *at)
{
    while (at > start && lex_is_space(at[-1]))
        at--;
    return at > start ? at[-1] : 0;
}

/* Brings 2 * LOOKAHEAD bytes from *at on into view, or all there are. */
static int look_ahead(struct ot_kineto_window *window, const unsigned char **at, struct ot_err *err)
{
    int code = OT_OK;
    while (code == OT_OK && window->end - *at < 2 * LOOKAHEAD)
        code = ot_kineto_window_grow(window, *at, at, err);
    return code == OT_END || code == OT_ERR_INPUT ? OT_OK : code;
}

int ot_kineto_resync(struct ot_kineto_window *window, const unsigned char *start,
                     const unsigned char *at, const unsigned char **ret_at,
                     enum ot_kineto_landing *ret_landing, struct ot_err *err)
{
    unsigned char before = last_solid(start, at);
    for (;; at++) {
        int code = look_ahead(window, &at, err);
        if (code < 0)
            return code;
        *ret_at = at;
        *ret_landing = OT_LANDING_END;
        if (at == window->end)
            return OT_OK;
        /* Behind a colon or a bracket it is a value inside of args. */
        bool may_be_event = *at == '{' && before != ':' && before != '[';
        if (may_be_event && looks_like_event(at + 1, window)) {
            *ret_landing = OT_LANDING_EVENT;
            return OT_OK;
        }
        if (*at == ']' && before == '}' && looks_like_end(at + 1, window)) {
            *ret_landing = OT_LANDING_CLOSE;
            return OT_OK;
        }
        if (!lex_is_space(*at))
            before = *at;
    }
}

int ot_kineto_find_list(struct ot_kineto_window *window, const unsigned char *at,
                        const unsigned char **ret_at, enum ot_kineto_landing *ret_landing,
                        struct ot_err *err)
{
    static const char key[] = "\"traceEvents\"";
    const size_t key_len = sizeof(key) - 1;
    for (;; at++) {
        int code = look_ahead(window, &at, err);
        if (code < 0)
            return code;
        *ret_at = at;
        *ret_landing = OT_LANDING_END;
        if (at == window->end)
            return OT_OK;
        const unsigned char *end = horizon(at, window);
        if ((size_t)(end - at) < key_len || memcmp(at, key, key_len) != 0)
            continue;
        const unsigned char *colon = behind_space(at + key_len, end);
        if (colon == end || *colon != ':')
            continue;
        const unsigned char *bracket = behind_space(colon + 1, end);
        if (bracket == end || *bracket != '[')
            continue;
        *ret_at = bracket + 1;
        *ret_landing = OT_LANDING_EVENT;
        return OT_OK;
    }
}
