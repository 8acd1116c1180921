#include "store/quote.h"

#include <string.h>

void ot_quote_path(struct ot_str *sql, const char *path)
{
    struct ot_str pattern = {0};
    for (const char *c = path; *c; c++)
        ot_str_addf(&pattern, strchr("[]*?", *c) ? "[%c]" : "%c", *c);
    ot_quote(sql, ot_str_borrow(&pattern));
    sql->failed |= pattern.failed;
    ot_str_release(&pattern);
}
