/* counts.h: what was read, and what could not be. Every result states it. */
#ifndef OT_MODEL_COUNTS_H
#define OT_MODEL_COUNTS_H

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
};

#endif
