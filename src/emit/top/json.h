/* json.h: the live view for programs: one object, a line. */
#ifndef OT_EMIT_TOP_JSON_H
#define OT_EMIT_TOP_JSON_H

#include <stdio.h>

#include "emit/top/top.h"

/* Write errors stay in `out`. */
void ot_top_write_json(const struct ot_top *top, FILE *out);

#endif
