/* clock.h: from the ticks of operator logs to nanoseconds since the epoch.
 *
 * A boot of a machine has one CLOCK_MONOTONIC and, per kind of clock, one counter of ticks. The
 * moments of all logs of a boot, and of the file optally.clock, say how the two go together:
 * between moments that are at least half a second apart a straight line is drawn, so that the
 * moments' own inaccuracy (some 100 ns) does not matter, and the clock's being slewed does not
 * either. The epoch comes in as one offset per boot, that of the earliest moment that has one: a
 * step of the calendar's clock while a program runs moves nothing.
 *
 * A struct ot_oplog_clock is one kind of clock of one boot; a struct ot_oplog_clocks has them all.
 * First every moment is added, then ot_oplog_clocks_settle() is called, and then ticks are
 * converted; after more moments, settle again. Conversion never goes backwards. One thread.
 */
#ifndef OT_INGEST_OPLOG_CLOCK_H
#define OT_INGEST_OPLOG_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/oplog.h"
#include "base/text.h"

/* What an input can make us hold. */
enum { OT_OPLOG_MOMENTS_MAX = 1 << 24 };

/* A stretch [from, until) of ticks: ns = at_ns + (ticks - from) * factor / 2^shift. */
struct ot_oplog_span {
    uint64_t from;
    uint64_t until;
    int64_t at_ns;
    uint64_t factor;
    unsigned shift;
};

struct ot_oplog_clock {
    char boot_id[sizeof(((struct ot_oplog_header *)0)->boot_id) + 1];
    uint32_t kind; /* enum ot_oplog_clock_kind */
    uint32_t lone; /* not 0: of one log alone, whose boot nobody knows */
    bool is_used;  /* by a log; ticks of others are converted by nobody */
    struct ot_oplog_moment *moments;
    size_t n_moments;
    size_t moments_cap;
    struct ot_oplog_span *spans; /* all of 0..UINT64_MAX, in order; the last `until` is inclusive */
    size_t n_spans;
    size_t spans_cap;
};

struct ot_oplog_clocks {
    struct ot_oplog_clock **items;
    size_t n_items;
    size_t cap;
    size_t n_moments; /* of all together */
    uint32_t n_lone;
};

/* The clock of a log, made when it is first asked for; stays in place until release. */
int ot_oplog_clocks_find(struct ot_oplog_clocks *clocks, const struct ot_oplog_header *header,
                         struct ot_oplog_clock **ret_clock, struct ot_err *err);

/* A moment without realtime_ns (0) is one of a segment; one that is all zero is none. */
int ot_oplog_clock_add(struct ot_oplog_clocks *clocks, struct ot_oplog_clock *clock,
                       const struct ot_oplog_moment *moment, struct ot_err *err);

/* The three of a log's header. */
int ot_oplog_clock_add_header(struct ot_oplog_clocks *clocks, struct ot_oplog_clock *clock,
                              const struct ot_oplog_header *header, struct ot_err *err);

/* Adds what the file `path` (OT_OPLOG_CLOCK_FILE) says; one that is not there says nothing, and a
 * last line that is not whole is passed by. OT_ERR_DAMAGED names file and line. */
int ot_oplog_clocks_add_file(struct ot_oplog_clocks *clocks, const char *path, struct ot_err *err);

/* Draws the lines. OT_ERR_INPUT: a clock of counted ticks has fewer than two moments, so that
 * nobody knows how long a tick is. */
int ot_oplog_clocks_settle(struct ot_oplog_clocks *clocks, struct ot_err *err);

/* The span that holds `ticks`; of a settled clock. */
const struct ot_oplog_span *ot_oplog_clock_span(const struct ot_oplog_clock *clock, uint64_t ticks);

/* `ticks` lies in the span. Rounds to the nearest, and saturates at INT64_MAX. */
static inline int64_t ot_oplog_span_ns(const struct ot_oplog_span *span, uint64_t ticks)
{
    unsigned __int128 half = (unsigned __int128)1 << span->shift >> 1;
    unsigned __int128 ns =
        ((unsigned __int128)(ticks - span->from) * span->factor + half) >> span->shift;
    int64_t sum;
    if (ns > INT64_MAX || __builtin_add_overflow(span->at_ns, (int64_t)ns, &sum))
        return INT64_MAX;
    return sum;
}

/* Nanoseconds since the epoch. */
static inline int64_t ot_oplog_clock_ns(const struct ot_oplog_clock *clock, uint64_t ticks)
{
    return ot_oplog_span_ns(ot_oplog_clock_span(clock, ticks), ticks);
}

void ot_oplog_clocks_release(struct ot_oplog_clocks *clocks);

#endif
