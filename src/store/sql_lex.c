#include "store/sql_lex.h"

#include <strings.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char at(struct ot_text text, size_t i)
{
    return i < text.len ? text.bytes[i] : '\0';
}

static bool begins(struct ot_text text, size_t i, const char *with)
{
    return at(text, i) == with[0] && at(text, i + 1) == with[1];
}

static size_t skip_line(struct ot_text text, size_t i)
{
    while (i < text.len && text.bytes[i] != '\n' && text.bytes[i] != '\r')
        i++;
    return i;
}

/* Comments nest. */
static size_t skip_block(struct ot_text text, size_t i)
{
    size_t depth = 0;
    while (i < text.len) {
        bool is_open = begins(text, i, "/*");
        bool is_close = begins(text, i, "*/");
        depth += is_open;
        depth -= is_close;
        i += is_open || is_close ? 2 : 1;
        if (depth == 0)
            break;
    }
    return i < text.len ? i : text.len;
}

static size_t skip_nothing(struct ot_text text)
{
    size_t i = 0;
    for (;;) {
        if (at(text, i) == ' ' || (at(text, i) >= '\t' && at(text, i) <= '\r'))
            i++;
        else if (begins(text, i, "--"))
            i = skip_line(text, i);
        else if (begins(text, i, "/*"))
            i = skip_block(text, i);
        else
            return i;
    }
}

/* From the opening quote to behind the closing one. A doubled quote is no end. */
static size_t quoted_len(struct ot_text text, size_t i, bool has_escapes)
{
    char quote = text.bytes[i++];
    for (; i < text.len; i++) {
        bool is_escape = has_escapes && text.bytes[i] == '\\';
        bool is_quote = text.bytes[i] == quote;
        if (is_quote && at(text, i + 1) != quote)
            return i + 1;
        i += is_escape || is_quote;
    }
    return text.len;
}

/* 0: it is no dollar quote. */
static size_t dollar_len(struct ot_text text)
{
    size_t tag = 1;
    if (is_letter(at(text, tag))) {
        while (is_letter(at(text, tag)) || is_digit(at(text, tag)))
            tag++;
    }
    if (at(text, tag) != '$')
        return 0;
    tag++;
    for (size_t i = tag; i + tag <= text.len; i++) {
        if (memcmp(text.bytes + i, text.bytes, tag) == 0)
            return i + tag;
    }
    return text.len;
}

static size_t word_len(struct ot_text text)
{
    size_t i = 1;
    while (is_letter(at(text, i)) || is_digit(at(text, i)) || at(text, i) == '$')
        i++;
    return i;
}

static size_t number_len(struct ot_text text)
{
    size_t i = 1;
    while (is_digit(at(text, i)) || is_letter(at(text, i)) || at(text, i) == '.')
        i++;
    return i;
}

static struct ot_sql_token take(struct ot_text *rest, enum ot_sql_token_kind kind, size_t len)
{
    struct ot_sql_token token = {kind, {rest->bytes, len}};
    *rest = (struct ot_text){rest->bytes + len, rest->len - len};
    return token;
}

static struct ot_sql_token take_name(struct ot_text *rest)
{
    struct ot_sql_token token = take(rest, OT_SQL_QUOTED, quoted_len(*rest, 0, false));
    bool is_closed = token.text.len > 1;
    token.text = (struct ot_text){token.text.bytes + 1, token.text.len - 1 - is_closed};
    return token;
}

struct ot_sql_token ot_sql_lex(struct ot_text *rest)
{
    take(rest, OT_SQL_END, skip_nothing(*rest));
    char first = at(*rest, 0);
    if (rest->len == 0)
        return take(rest, OT_SQL_END, 0);
    if ((first == 'e' || first == 'E') && at(*rest, 1) == '\'')
        return take(rest, OT_SQL_STRING, quoted_len(*rest, 1, true));
    if (first == '\'')
        return take(rest, OT_SQL_STRING, quoted_len(*rest, 0, false));
    if (first == '"')
        return take_name(rest);
    if (first == '$' && dollar_len(*rest))
        return take(rest, OT_SQL_STRING, dollar_len(*rest));
    if (is_letter(first))
        return take(rest, OT_SQL_WORD, word_len(*rest));
    if (is_digit(first))
        return take(rest, OT_SQL_SIGN, number_len(*rest));
    return take(rest, OT_SQL_SIGN, 1);
}

bool ot_sql_is_word(const struct ot_sql_token *token, const char *word)
{
    return token->kind == OT_SQL_WORD && token->text.len == strlen(word) &&
           strncasecmp(token->text.bytes, word, token->text.len) == 0;
}

bool ot_sql_is_sign(const struct ot_sql_token *token, char sign)
{
    return token->kind == OT_SQL_SIGN && token->text.len == 1 && token->text.bytes[0] == sign;
}

size_t ot_sql_statement_end(const char *text)
{
    struct ot_text rest = ot_text_of(text);
    for (;;) {
        struct ot_sql_token token = ot_sql_lex(&rest);
        if (token.kind == OT_SQL_END)
            return 0;
        if (ot_sql_is_sign(&token, ';'))
            return (size_t)(rest.bytes - text);
    }
}
