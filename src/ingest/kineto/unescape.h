/* unescape.h: from the inside of a JSON string to text.
 *
 * What is no text reads as U+FFFD: bytes that are no UTF-8, control characters that should have
 * been escaped, halves of surrogate pairs.
 */
#ifndef OT_INGEST_KINETO_UNESCAPE_H
#define OT_INGEST_KINETO_UNESCAPE_H

#include <stdbool.h>

#include "base/str.h"
#include "ingest/kineto/raw.h"

/* Adds the text of a string that was read whole. `ret_replaced`: something reads as U+FFFD that was
 * something else. */
void ot_kineto_unescape(const struct ot_json_value *value, struct ot_str *str, bool *ret_replaced);

enum { OT_PLAIN_BYTES = 32 };

/* The text of a key, or of another string that is only compared: where it lies, or in `plain` if it
 * has escapes. One that does not fit there is none of ours and is left as it is. */
struct ot_text ot_kineto_plain(const struct ot_json_value *value, char plain[OT_PLAIN_BYTES]);

#endif
