/* quote.h: paths inside of statements. */
#ifndef OT_STORE_QUOTE_H
#define OT_STORE_QUOTE_H

#include "base/quote.h"

/* As ot_quote(), of a path for read_parquet(), which takes [ ] * ? for patterns: each stands in
 * brackets of its own then. */
void ot_quote_path(struct ot_str *sql, const char *path);

#endif
