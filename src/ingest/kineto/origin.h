/* origin.h: whether an event is of a kind that torch.profiler writes.
 *
 * Others write traces of the same form: browsers, compilers, servers.
 */
#ifndef OT_INGEST_KINETO_ORIGIN_H
#define OT_INGEST_KINETO_ORIGIN_H

#include <stdbool.h>

#include "base/text.h"

/* True if this category, or else this name, is one of torch.profiler's and hardly of others. Says
 * nothing of metadata (M), which all write alike. Any thread. */
bool ot_kineto_is_of_torch(struct ot_text category, struct ot_text name);

#endif
