/* markup.h: texts of anybody's inside HTML and XML. */
#ifndef OT_EMIT_MARKUP_MARKUP_H
#define OT_EMIT_MARKUP_MARKUP_H

#include <stdint.h>

#include "base/str.h"
#include "base/text.h"

/* Adds `text` so that it can stand inside an element or a quoted attribute: escaped, without what
 * XML does not allow, and cut in the middle to `max_size` code points (-1: not cut). */
void ot_markup_add(struct ot_str *str, struct ot_text text, int64_t max_size);

#endif
