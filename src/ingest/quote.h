/* quote.h: a text in quotes, as the events of every kind of recording show it. */
#ifndef OT_INGEST_QUOTE_H
#define OT_INGEST_QUOTE_H

#include "base/str.h"

/* Adds `text`, in which `"`, `\` and what cannot be printed are escaped. */
void ot_quote_add(struct ot_str *str, struct ot_text text);

#endif
