/* units.h: durations, sizes and shares for people, the same in every locale.
 *
 * Two decimals and the largest unit of h, min, s, ms, us, ns that is at least 1; whole nanoseconds
 * below a microsecond stay whole: `1.12ms`, `847ns`. The rounding is that of printf on the double,
 * as THAPI's tables have it.
 */
#ifndef OT_BASE_UNITS_H
#define OT_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { OT_UNITS_BYTES = 48 };

/* A whole number of nanoseconds. */
void ot_units_ns(char ret_text[OT_UNITS_BYTES], uint64_t ns);

/* sum_ns / count; `count` is not 0. `always_decimals` prints a mean that happens to be whole as
 * `50.00ns`, as THAPI does, instead of `50ns`. */
void ot_units_mean_ns(char ret_text[OT_UNITS_BYTES], uint64_t sum_ns, uint64_t count,
                      bool always_decimals);

/* A whole number of bytes, in B, KiB, MiB, GiB or TiB: `1.50GiB`, `12B`. */
void ot_units_bytes(char ret_text[OT_UNITS_BYTES], uint64_t bytes);

/* `46.00%`; `whole` is not 0. */
void ot_units_percent(char ret_text[OT_UNITS_BYTES], uint64_t part, uint64_t whole);

/* "121,343" */
void ot_units_count(char ret_text[OT_UNITS_BYTES], uint64_t n);

/* A value with `decimals` decimals and a point, whatever the locale. */
void ot_units_fixed(char ret_text[OT_UNITS_BYTES], double value, int decimals);

#endif
