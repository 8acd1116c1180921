#include "base/quote.h"

void ot_quote(struct ot_str *sql, const char *text)
{
    ot_str_add(sql, "'", 1);
    for (const char *c = text; *c; c++)
        ot_str_add(sql, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    ot_str_add(sql, "'", 1);
}
