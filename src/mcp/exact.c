#include "mcp/exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the library writes it, so that it is found again; nobody else writes it in a string for
 * people. */
#define MARK "\\u0001"
enum { MARK_BYTES = sizeof(MARK) - 1, MAX_INTEGER_BYTES = 24 };

const char *ot_mcp_exact_number(const char *string)
{
    return string[0] == '\x01' && string[1] != '\x01' ? string + 1 : NULL;
}

bool ot_mcp_exact_has_mark(const char *string)
{
    return string[0] == '\x01';
}

static bool starts_with_mark(struct ot_text rest)
{
    return rest.len >= MARK_BYTES && memcmp(rest.bytes, MARK, MARK_BYTES) == 0;
}

/* Length of the string at the start, with its quotes as far as they are there. */
static size_t string_len(struct ot_text rest)
{
    size_t i = 1;
    while (i < rest.len && rest.bytes[i] != '"')
        i += rest.bytes[i] == '\\' ? 2 : 1;
    return i < rest.len ? i + 1 : rest.len;
}

static bool starts_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Length of what could be one, up to where it cannot go on. */
static size_t number_len(struct ot_text rest)
{
    size_t i = 0;
    while (i < rest.len && rest.bytes[i] != '\0' && strchr("+-.0123456789Ee", rest.bytes[i]))
        i++;
    return i;
}

/* Where the digits from `at` on end. */
static size_t pass_digits(struct ot_text text, size_t at)
{
    while (at < text.len && text.bytes[at] >= '0' && text.bytes[at] <= '9')
        at++;
    return at;
}

static bool has_at(struct ot_text text, size_t at, const char *one_of)
{
    return at < text.len && strchr(one_of, text.bytes[at]);
}

/* The grammar of RFC 8259, section 6. */
static bool is_number(struct ot_text text)
{
    size_t from = has_at(text, 0, "-");
    size_t at = has_at(text, from, "0") ? from + 1 : pass_digits(text, from);
    bool has_digits = at > from;
    if (has_at(text, at, ".")) {
        from = at + 1;
        at = pass_digits(text, from);
        has_digits &= at > from;
    }
    if (has_at(text, at, "eE")) {
        from = at + 1 + has_at(text, at + 1, "+-");
        at = pass_digits(text, from);
        has_digits &= at > from;
    }
    return has_digits && at == text.len;
}

/* It comes out of the library as it went in. */
static bool is_safe(struct ot_text number)
{
    char text[MAX_INTEGER_BYTES];
    char again[MAX_INTEGER_BYTES];
    if (number.len >= sizeof(text))
        return false;
    memcpy(text, number.bytes, number.len);
    text[number.len] = '\0';
    snprintf(again, sizeof(again), "%lld", strtoll(text, NULL, 10));
    return strcmp(text, again) == 0;
}

static void hold_string(struct ot_str *str, struct ot_text string)
{
    ot_str_add(str, "\"", 1);
    struct ot_text rest = {string.bytes + 1, string.len - 1};
    if (starts_with_mark(rest))
        ot_str_addf(str, MARK);
    ot_str_add_text(str, rest);
}

/* What is no number is left to the parser, which refuses it. */
static void hold_number(struct ot_str *str, struct ot_text number)
{
    if (is_safe(number) || !is_number(number)) {
        ot_str_add_text(str, number);
        return;
    }
    ot_str_addf(str, "\"" MARK);
    ot_str_add_text(str, number);
    ot_str_add(str, "\"", 1);
}

static void release_string(struct ot_str *str, struct ot_text string)
{
    struct ot_text rest = {string.bytes + 1, string.len - 1};
    if (!starts_with_mark(rest)) {
        ot_str_add_text(str, string);
        return;
    }
    rest = (struct ot_text){rest.bytes + MARK_BYTES, rest.len - MARK_BYTES};
    if (starts_with_mark(rest)) { /* its own */
        ot_str_add(str, "\"", 1);
        ot_str_add_text(str, rest);
    } else {
        ot_str_add(str, rest.bytes, rest.len - 1);
    }
}

static struct ot_text skip(struct ot_text text, size_t len)
{
    return (struct ot_text){text.bytes + len, text.len - len};
}

/* Up to the next string or, if asked for, number. */
static size_t between_len(struct ot_text rest, bool stop_at_numbers)
{
    size_t i = 0;
    while (i < rest.len && rest.bytes[i] != '"' &&
           !(stop_at_numbers && starts_number(rest.bytes[i])))
        i++;
    return i;
}

void ot_mcp_exact_hold(struct ot_str *str, struct ot_text json)
{
    for (struct ot_text rest = json; rest.len;) {
        size_t len = between_len(rest, true);
        ot_str_add(str, rest.bytes, len);
        rest = skip(rest, len);
        if (!rest.len)
            break;
        bool is_string = rest.bytes[0] == '"';
        len = is_string ? string_len(rest) : number_len(rest);
        (is_string ? hold_string : hold_number)(str, (struct ot_text){rest.bytes, len});
        rest = skip(rest, len);
    }
}

void ot_mcp_exact_release(struct ot_str *str, struct ot_text json)
{
    for (struct ot_text rest = json; rest.len;) {
        size_t len = between_len(rest, false);
        ot_str_add(str, rest.bytes, len);
        rest = skip(rest, len);
        if (!rest.len)
            break;
        len = string_len(rest);
        release_string(str, (struct ot_text){rest.bytes, len});
        rest = skip(rest, len);
    }
}
