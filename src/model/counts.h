/* counts.h: what was read, and what could not be. Every result states it. */
#ifndef OT_MODEL_COUNTS_H
#define OT_MODEL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct ot_counts {
    uint64_t events_read;
    uint64_t discarded_events;  /* the tracer's own count; an unknown number counts as 1 */
    uint64_t discarded_unknown; /* how often the tracer lost events and could not say how many */
    uint64_t unmatched_exits;   /* exits without an entry */
    uint64_t unclosed_entries;  /* entries without an exit: `lost_entries`, and those still open
                                   at the end */
    uint64_t lost_entries;      /* entries that an enclosing call's exit closed */
    uint64_t backward_times;    /* events earlier than the one before on their thread */
    uint64_t overflowed_sums;   /* sums that met the limit of 2^63 - 1 ns */
    uint64_t silent_sources;    /* sources of slices that do not say what they lost */
    uint64_t uncertain_self;    /* slices whose children could not all be told apart */
    uint64_t excluded_events;   /* whose times or sizes are missing or cannot be */
    uint64_t damaged_events;    /* skipped on request, as they could not be read */
    uint64_t truncated_inputs;  /* that could not be read to their ends */
    uint64_t lost_names;        /* that the tracer did not keep: their calls share one */
    uint64_t left_out_calls;    /* by whoever wrote the trace, as it says itself */
};

/* What a trace that we write says of what it lacks, since nobody could tell from what is in it: the
 * members of its "optally", and the counts that they are. */
struct ot_told_loss {
    const char *name;
    size_t offset; /* in struct ot_counts */
};

enum { OT_TOLD_LOSSES = 6 };

extern const struct ot_told_loss ot_told_losses[OT_TOLD_LOSSES];

static inline uint64_t ot_told_loss_of(const struct ot_counts *counts,
                                       const struct ot_told_loss *loss)
{
    return *(const uint64_t *)((const char *)counts + loss->offset);
}

/* Saturates. */
static inline void ot_told_loss_add(struct ot_counts *counts, const struct ot_told_loss *loss,
                                    uint64_t more)
{
    uint64_t *sum = (uint64_t *)((char *)counts + loss->offset);
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = UINT64_MAX;
}

#endif
