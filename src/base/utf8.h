/* utf8.h: reading untrusted bytes as UTF-8. */
#ifndef OT_BASE_UTF8_H
#define OT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text.h"

enum { OT_UTF8_REPLACEMENT = 0xfffd };

/* Reads the code point at the start of `text`, which is not empty, and returns how many bytes it
 * took. What is no UTF-8 (overlong forms, surrogates and values above U+10FFFF included) takes one
 * byte and reads as U+FFFD. */
size_t ot_utf8_next(struct ot_text text, uint32_t *ret_code_point);

/* How many code points ot_utf8_next() finds. */
size_t ot_utf8_count(struct ot_text text);

/* Adds `text` so that it can break neither a line nor a terminal: what is no UTF-8 and control
 * characters (C0, DEL, C1, line and paragraph separators, bidirectional overrides) become U+FFFD.
 */
void ot_utf8_add_printable(struct ot_str *str, struct ot_text text);

/* Adds printable text, of any number of lines, for what takes ASCII alone: others become `?`. */
void ot_utf8_add_ascii(struct ot_str *str, struct ot_text text);

#endif
