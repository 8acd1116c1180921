/* quote.h: texts inside of statements. */
#ifndef OT_STORE_QUOTE_H
#define OT_STORE_QUOTE_H

#include "base/str.h"

/* Adds 'it''s'. */
void ot_quote(struct ot_str *sql, const char *text);

/* The same of a path for read_parquet(), which takes [ ] * ? for patterns: each stands in brackets
 * of its own then. */
void ot_quote_path(struct ot_str *sql, const char *path);

#endif
