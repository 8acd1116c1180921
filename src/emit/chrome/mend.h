/* mend.h: what a trace has in a place of JSON, made valid JSON.
 *
 * A reader of traces is more lenient than JSON is: inside strings it reads bytes that are no UTF-8,
 * control characters that should have been escaped, and halves of surrogate pairs, each as U+FFFD.
 * Here they are written so. Any thread.
 */
#ifndef OT_EMIT_CHROME_MEND_H
#define OT_EMIT_CHROME_MEND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text.h"

/* Writes `json`, whose grammar is right but for what is inside its strings, and all else in it as
 * it is. Returns how often something had to be replaced. Write errors stay in `out`. */
uint64_t ot_chrome_write_mended(struct ot_text json, FILE *out);

/* True for lists, strings and whole numbers that are valid JSON: what the shapes and types of
 * inputs should be, in a recording that may be damaged. */
bool ot_chrome_is_list(struct ot_text text);

/* Adds `text`, which may be any bytes, as a JSON string with its quotes. */
void ot_chrome_add_string(struct ot_str *str, struct ot_text text);

#endif
