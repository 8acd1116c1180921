/* csv.h: fields of RFC 4180.
 *
 * Commas and line ends (CR LF) are the caller's. Bytes go out as they are. Write errors stay in the
 * FILE, where the caller finds them at the end.
 */
#ifndef OT_EMIT_CSV_CSV_H
#define OT_EMIT_CSV_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* Quoted where it has to be. */
void ot_csv_text(FILE *out, struct ot_text text);

/* sum / count: whole numbers as such, others with three decimals. `count` is not 0. */
void ot_csv_mean(FILE *out, uint64_t sum, uint64_t count);

#endif
