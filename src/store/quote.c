#include "store/quote.h"

#include <string.h>

static void quote(struct ot_str *sql, const char *text, const char *in_brackets)
{
    ot_str_add(sql, "'", 1);
    for (const char *c = text; *c; c++) {
        if (strchr(in_brackets, *c))
            ot_str_addf(sql, "[%c]", *c);
        else
            ot_str_add(sql, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    }
    ot_str_add(sql, "'", 1);
}

void ot_quote(struct ot_str *sql, const char *text)
{
    quote(sql, text, "");
}

void ot_quote_path(struct ot_str *sql, const char *path)
{
    quote(sql, path, "[]*?");
}
