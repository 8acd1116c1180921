/* describe.h: writes which tracks there are, and what they are called.
 *
 * A process of a host is written as one where a viewer can take it for one: it keeps 31 bits of a
 * pid, and holds equal ones for the same process. Devices, and what has names in place of numbers,
 * are tracks of their own; so are all ranks that share a pid. The calls of a thread lie on the
 * thread's own track, all else on tracks below it. Everything is written once, when the first of
 * its slices is. One thread.
 */
#ifndef OT_TIMELINE_DESCRIBE_H
#define OT_TIMELINE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "emit/pftrace/pftrace.h"
#include "model/session.h"
#include "timeline/places.h"

/* All but `title` is borrowed. A zeroed `title` is empty. */
struct ot_describe {
    struct ot_places *places;
    struct ot_pftrace *trace;
    const struct ot_session *sessions; /* as far as they are known */
    size_t n_sessions;
    const bool *is_unaligned; /* by session; NULL: none is */
    struct ot_str title;
    uint64_t n_tracks; /* that were written, but for those of processes */
};

/* The uuid of the track that is row number `row` of a lane; written if it was not yet. Rows of a
 * lane are asked for in turn. */
uint64_t ot_describe_row(struct ot_describe *describe, uint32_t lane, size_t row);

void ot_describe_release(struct ot_describe *describe);

#endif
