/* name.h: names as a table shows them. */
#ifndef OT_EMIT_GRID_NAME_H
#define OT_EMIT_GRID_NAME_H

#include <stdint.h>

#include "base/str.h"

/* Adds a name: printable, and cut in the middle with `[...]` to `max_size` code points (-1: not
 * cut). */
void ot_name_add(struct ot_str *str, struct ot_text name, int64_t max_size);

#endif
