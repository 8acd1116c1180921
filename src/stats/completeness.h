/* completeness.h: whether the numbers are exact, and if not, why, in words. */
#ifndef OT_STATS_COMPLETENESS_H
#define OT_STATS_COMPLETENESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/counts.h"

enum { OT_COMPLETENESS_REASONS = 12 };

/* True if nothing was lost. Otherwise every number is a lower bound. */
bool ot_completeness_exact(const struct ot_counts *counts);

/* Adds the reason number `i` of OT_COMPLETENESS_REASONS in words ("3 calls never ended") and says
 * true, or adds nothing and says false if it does not hold. The order is always the same. */
bool ot_completeness_reason(const struct ot_counts *counts, size_t i, struct ot_str *str);

/* Adds `counts` of one more source. */
void ot_counts_add(struct ot_counts *counts, const struct ot_counts *more);

#endif
