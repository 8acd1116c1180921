/* sql_lex.h: the words of a statement, as DuckDB's own lexer splits them.
 *
 * Comments and blanks are nothing. Never fails: what does not end (a string, say) ends with the
 * text. Constant time and memory per token; any thread.
 */
#ifndef OT_STORE_SQL_LEX_H
#define OT_STORE_SQL_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum ot_sql_token_kind {
    OT_SQL_END,
    OT_SQL_WORD,   /* a keyword or a name */
    OT_SQL_QUOTED, /* a name in double quotes; `text` is what is between them, as written */
    OT_SQL_STRING, /* '...', E'...', $$...$$ */
    OT_SQL_SIGN,   /* anything else: one byte, or a number */
};

struct ot_sql_token {
    enum ot_sql_token_kind kind;
    struct ot_text text;
};

/* Takes the next token off the front of `rest`. */
struct ot_sql_token ot_sql_lex(struct ot_text *rest);

/* ASCII case does not matter. */
bool ot_sql_is_word(const struct ot_sql_token *token, const char *word);
bool ot_sql_is_sign(const struct ot_sql_token *token, char sign);

/* The bytes up to and with the first semicolon that ends a statement; 0: there is none. */
size_t ot_sql_statement_end(const char *text);

#endif
