/* timeline.h: from events and slices to a Perfetto trace.
 *
 * Every slice is drawn with its own begin and end: nothing is clamped, merged or dropped. The calls
 * of a thread, its annotations and its Python frames each nest on a track of their own; of the
 * lanes that do not nest (enum ot_lane) each backend has a row of its own. What fits into no row
 * that is there gets another one: a slice that ends after the one that it began in, a device's work
 * that overlaps, and what is more than OT_TIMELINE_DEPTH_MAX levels deep. Flows join a launch with
 * its work, by correlation, and a forward operator with its backward ones, by sequence number or by
 * the trace's own arrows.
 *
 * Two ways lead there. *Sorted*: what comes is kept as 56 bytes each, sorted on disk beyond a few
 * MB (spill.h), and drawn track by track at the end; events may come in any order, and everything
 * is known by then. *Straight*, for entries and exits in the order of time: what comes is written
 * at once, and no slice is kept. But a call that goes on after the one that it began in needs
 * another row from its beginning on, which is known at its end alone. So the straight way ends
 * with OT_END when it meets the first call that needs another row, and all is to be done again,
 * the sorted way.
 *
 * Memory does not depend on the number of slices either way, but on how many names and shapes are
 * distinct. One thread.
 */
#ifndef OT_TIMELINE_TIMELINE_H
#define OT_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/counts.h"
#include "model/event.h"
#include "model/names.h"
#include "model/session.h"
#include "model/slice.h"

enum {
    /* Rows of one lane of a thread, or of one stream. What would need more is left out, and
     * counted. */
    OT_TIMELINE_ROWS_MAX = 1024,
    /* Slices inside one another in one row. Perfetto's trace_processor (SliceTracker, release 52)
     * takes no more, and then the ends of those around them for those of others. */
    OT_TIMELINE_DEPTH_MAX = 512
};

struct ot_timeline;

struct ot_timeline_makers;

struct ot_timeline_opts {
    FILE *out;               /* borrowed; written from where it stands, and never sought in */
    struct ot_names *names;  /* borrowed; a slice's ids are its */
    const char *temp_folder; /* for what is sorted on disk; borrowed */
    bool is_straight;

    /* Which forward operators have a backward side (makers.h), filled in; borrowed. NULL: no
     * flows by sequence number. */
    struct ot_timeline_makers *makers;
};

/* What was drawn, and what could not be. */
struct ot_timeline_totals {
    uint64_t n_slices;     /* each with its begin and, but for the unfinished ones, its end */
    uint64_t n_unfinished; /* of these: open when the trace ends; drawn without an end */
    uint64_t n_lost;       /* of these: their exits were not seen; end with what closed them */
    uint64_t n_moved;      /* of these: in another row, as the first ones had no place for them */
    uint64_t n_instants;   /* exits without an entry, drawn as points */
    uint64_t n_counters;   /* values of counters */
    uint64_t n_tracks;
    uint64_t n_left_out;             /* slices that OT_TIMELINE_ROWS_MAX rows had no place for */
    uint64_t n_arrows_without_slice; /* ends of the trace's own arrows where no slice begins */
    uint64_t n_unaligned;    /* sessions of several that do not say what their times count from: all
                                begin at 0 then */
    bool is_shifted;         /* moved as a whole, since times before 0 cannot be written */
    struct ot_counts counts; /* of pairing */
};

/* NULL when memory is out. */
struct ot_timeline *ot_timeline_new(const struct ot_timeline_opts *opts);

/* Any kind of event; what is neither slice, entry, exit, memory event nor mark is passed by. The
 * straight way takes no slices and no arrows. OT_END: a call needs another row; what was
 * written is of no use, and the timeline has to be freed. OT_ERR_IO: it could not be written, or
 * the temporary file could not. */
int ot_timeline_feed(struct ot_timeline *timeline, const struct ot_event *event,
                     struct ot_err *err);

/* The sorted way alone: a slice that was paired elsewhere. Those of a track come in the order of
 * their ends. */
int ot_timeline_add_slice(struct ot_timeline *timeline, const struct ot_slice *slice,
                          struct ot_err *err);

/* All has come. `sessions` says what is known of them by now; of those beyond nothing is. Writes
 * what is left and flushes `out`. OT_END as ot_timeline_feed(). */
int ot_timeline_end(struct ot_timeline *timeline, const struct ot_session *sessions,
                    size_t n_sessions, struct ot_timeline_totals *ret_totals, struct ot_err *err);

/* After that: writes a sentence about what is not in the picture, as a point where it begins, on a
 * track of its own. */
int ot_timeline_say(struct ot_timeline *timeline, struct ot_text sentence, struct ot_err *err);

/* Takes NULL. */
void ot_timeline_free(struct ot_timeline *timeline);

#endif
