/* record.h: what the sorted way keeps of a slice, an arrow's end or a counter's value, and the
 * order that it is drawn in.
 *
 * By track, and there by the start. Of slices that start together the longest comes first, as the
 * others are inside it; of equal ones the parent: as the trace wrote them, but what came with its
 * end before all that, the last one first. Paired slices bear the numbers of their entry and exit
 * among all events, which say it better. Plain values; a record is written to disk as it is.
 */
#ifndef OT_TIMELINE_RECORD_H
#define OT_TIMELINE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum ot_timeline_flags {
    OT_RECORD_PAIRED = 1 << 0, /* `order` and `exit` are those of its entry and exit */
    OT_RECORD_HAS_SEQUENCE = 1 << 1,
    OT_RECORD_HAS_CORRELATION = 1 << 2,
    OT_RECORD_IS_MAKER = 1 << 3,   /* the forward operator that backward ones work for */
    OT_RECORD_LOST = 1 << 4,       /* its exit was not seen */
    OT_RECORD_UNFINISHED = 1 << 5, /* open where the trace ends */
    OT_RECORD_INSTANT = 1 << 6,    /* an exit whose entry was not seen */
    OT_RECORD_ARROW = 1 << 7,      /* no slice: an end of an arrow, at the slice that begins
                                      then */
};

/* What comes in any order sorts in the middle of the numbers, what came with its end downwards
 * from there. */
#define OT_RECORD_FIRST_ORDER (UINT64_C(1) << 63)

struct ot_timeline_record {
    int64_t ts_ns;  /* since its session's base */
    int64_t dur_ns; /* of an arrow INT64_MAX, so that it comes before what begins then */
    uint64_t order;
    union {
        uint64_t correlation;
        uint64_t exit;
        uint64_t flow;
        int64_t value; /* of a counter */
    };
    int64_t sequence;
    uint32_t lane; /* places.h */
    uint32_t name;
    uint32_t detail; /* details.h */
    uint32_t flags;
};

static inline bool ot_timeline_before(const struct ot_timeline_record *a,
                                      const struct ot_timeline_record *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns;
    if (a->dur_ns != b->dur_ns && !(a->flags & b->flags & OT_RECORD_PAIRED))
        return a->dur_ns > b->dur_ns;
    return a->order < b->order;
}

#endif
