/* overload.h: the overload name of an operator in every version of PyTorch.
 *
 * From 2.7 on RecordFunction has overload_name(). Before, the only way is operator_name(), which
 * builds two std::string: it is asked once per operator and the answer is kept in a table that
 * never grows and is never freed. Any thread may ask at any time; nothing is allocated here.
 */
#ifndef OT_TRACER_OVERLOAD_H
#define OT_TRACER_OVERLOAD_H

#include "tracer/torch.h"

/* The answer from the table, for versions without overload_name(). */
const char *ot_overload_from_table(const struct ot_torch *torch, const void *rf, const char *name);

/* "" where the operator has none, or where it cannot be known. `name` is torch->name(rf). The
 * string lives as long as the process, or (from 2.7 on) as the call. */
static inline const char *ot_overload_of(const struct ot_torch *torch, const void *rf,
                                         const char *name)
{
    if (!torch->overload_name)
        return ot_overload_from_table(torch, rf, name);
    const char *overload = torch->overload_name(rf);
    return overload ? overload : "";
}

#endif
