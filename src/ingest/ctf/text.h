/* text.h: fields as people read them: `name: "aten::abs", overload_name: ""`. */
#ifndef OT_INGEST_CTF_TEXT_H
#define OT_INGEST_CTF_TEXT_H

#include <babeltrace2/babeltrace.h>

#include "base/str.h"

/* Adds the members of a structure field, without braces around them. Strings are quoted, with
 * `"`, `\` and what cannot be printed escaped. NULL adds nothing. */
void ot_ctf_add_members(struct ot_str *str, const bt_field *structure);

#endif
