/* decimal.h: JSON's numbers as integers, exactly.
 *
 * Never through a double: 1712195495519689.047 microseconds has 19 digits. `text` is a number of
 * JSON's grammar; the functions that take any text say so. They read eight bytes at once, so all
 * but ot_decimal_is_number() need OT_DECIMAL_PADDING readable bytes behind the text.
 */
#ifndef OT_INGEST_KINETO_DECIMAL_H
#define OT_INGEST_KINETO_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { OT_DECIMAL_PADDING = 8 };

enum ot_decimal {
    OT_DECIMAL_OK,
    OT_DECIMAL_ROUNDED, /* digits were lost: half to even */
    OT_DECIMAL_OVERFLOW /* does not fit; nothing is returned */
};

/* The number times 10^`scale`. */
enum ot_decimal ot_decimal_scaled(struct ot_text text, int scale, int64_t *ret_value);

/* Any text. False if it is anything but a whole number without point and exponent, or does not
 * fit. */
bool ot_decimal_int(struct ot_text text, int64_t *ret_value);
bool ot_decimal_uint(struct ot_text text, uint64_t *ret_value);

/* Any text: is it a number of JSON's grammar? */
bool ot_decimal_is_number(struct ot_text text);

#endif
