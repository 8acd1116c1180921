/* quote.h: texts inside of statements of SQL. */
#ifndef OT_BASE_QUOTE_H
#define OT_BASE_QUOTE_H

#include "base/str.h"

/* Adds 'it''s'. */
void ot_quote(struct ot_str *sql, const char *text);

#endif
