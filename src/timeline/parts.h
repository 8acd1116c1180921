/* parts.h: what the parts of a timeline share. Private to this folder. */
#ifndef OT_TIMELINE_PARTS_H
#define OT_TIMELINE_PARTS_H

#include "slice/pair.h"
#include "timeline/describe.h"
#include "timeline/details.h"
#include "timeline/makers.h"
#include "timeline/places.h"
#include "timeline/spill.h"
#include "timeline/timeline.h"

/* An entry that was taken and whose slice is yet to come; a free one has the number of the next. */
struct ot_timeline_entry {
    uint64_t order;
    int64_t sequence;
    uint32_t detail;
    uint32_t flags; /* of a record */
    uint32_t next_free;
};

/* Of a session's slices and counters. */
struct ot_timeline_span {
    bool has_times;
    int64_t first_ns;
    int64_t last_ns;
    int64_t offset_ns; /* to be added to its times; once all have come */
};

struct ot_timeline {
    struct ot_timeline_opts opts;
    struct ot_places places;
    struct ot_details details;
    struct ot_pftrace *trace;
    struct ot_describe describe;
    struct ot_timeline_totals totals;
    uint64_t n_events;

    /* Sorted. */
    struct ot_spill *spill;
    struct ot_timeline_span *spans; /* by session */
    size_t n_spans;
    size_t spans_cap;
    bool *is_unaligned;

    /* Entries and exits. */
    struct ot_pair *pair;
    uint32_t *lanes; /* by the pairing's track: 1 + number */
    size_t n_lanes;
    size_t lanes_cap;
    struct ot_timeline_entry *entries;
    size_t n_entries;
    size_t entries_cap;
    uint32_t free_entry; /* 1 + number; 0: none */
    bool has_clock;
    int64_t base_ns;       /* of the clock */
    uint64_t remarks_uuid; /* of a track; 0: none yet */
    bool is_recording;     /* times count from the epoch */
};

/* pairs.c: an entry, an exit or a loss, either way; and what is open at the end. OT_END as
 * ot_timeline_feed(). */
int ot_timeline_take_call(struct ot_timeline *timeline, const struct ot_event *event,
                          struct ot_err *err);
int ot_timeline_end_calls(struct ot_timeline *timeline, struct ot_err *err);

/* timeline.c: keeps a record of the session for the sorted way. */
int ot_timeline_keep(struct ot_timeline *timeline, uint32_t session,
                     const struct ot_timeline_record *record, struct ot_err *err);

/* timeline.c: unless it was set; in the straight way the first time sets it. */
void ot_timeline_set_clock(struct ot_timeline *timeline, int64_t base_ns, bool is_epoch);

/* pairs.c: the arrow that a numbered operator is an end of; 0: none. Only a recording has such:
 * torch.profiler's numbers of forward threads are not those of its tracks. */
uint64_t ot_timeline_sequence_flow(const struct ot_timeline *timeline, uint32_t lane, bool is_maker,
                                   const struct ot_detail *detail, int64_t sequence);

/* align.c: where each session's times are drawn, and the clock. */
int ot_timeline_align(struct ot_timeline *timeline, struct ot_err *err);

/* draw.c: everything that was kept. */
int ot_timeline_draw(struct ot_timeline *timeline, struct ot_err *err);

#endif
