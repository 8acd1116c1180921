/* fold_name.h: names as lines of folded stacks can have them. Private to this folder. */
#ifndef OT_EMIT_FLAME_FOLD_NAME_H
#define OT_EMIT_FLAME_FOLD_NAME_H

#include "base/str.h"
#include "base/text.h"

/* Adds the name, printable. A `;` would be the border of two frames and becomes `:`. A number
 * behind a blank at the end of a name would be taken for a weight, so that blank becomes `_`. A
 * name that is empty is `(no name)`. */
void flame_fold_name(struct ot_str *str, struct ot_text name);

#endif
