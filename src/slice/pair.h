/* pair.h: from entries and exits to slices.
 *
 * Pairing is last-in first-out per track {host, process, thread}, over all backends together, and
 * an exit has to name the open entry. A mismatch resynchronises: the entries above the one that
 * the exit names are closed as lost; an exit that no open entry has becomes a failed slice
 * (ts = exit, dur = 0, err = true). What is still open at the end is yielded as unclosed.
 *
 * An exit with `ends_exactly` ends that entry wherever it is, and what is above it stays open: a
 * call that another thread ends, or two whose borders cross. Self times count each moment for the
 * innermost of the calls that are open then: of a call that goes on, what ran until now was inside
 * the one that ended, and only the rest is inside the one around that. A gap (`is_gap`) closes all
 * that is open on its thread as unclosed.
 *
 * The caller feeds one event, takes what became complete until OT_END, and feeds the next. Slices
 * of a track come in the order of their ends. Time never goes backwards on a track: an event that
 * does is moved to the time of the one before and counted. Nothing is allocated per event once a
 * track, its depth and a name have been seen. One thread.
 */
#ifndef OT_SLICE_PAIR_H
#define OT_SLICE_PAIR_H

#include "base/err.h"
#include "model/counts.h"
#include "model/event.h"
#include "model/names.h"
#include "model/slice.h"

enum {
    /* Entries open at once, on one track and on all. An entry beyond is yielded as unclosed. */
    OT_PAIR_MAX_DEPTH = 1 << 20,
    OT_PAIR_MAX_OPEN = 1 << 24,
    /* How far down an exit looks for its entry, so that a hostile trace stays linear. */
    OT_PAIR_MAX_RESYNC = 4096
};

enum ot_paired_kind {
    OT_PAIRED_SLICE,
    OT_PAIRED_UNCLOSED, /* an entry without an exit; ts_ns is the entry's, dur_ns 0 */
    OT_PAIRED_BEGIN     /* an entry that was taken, if ot_pair_want_begins(); likewise */
};

/* Why an entry is unclosed. */
enum ot_paired_cause {
    OT_PAIRED_BY_EXIT, /* the exit of a call around it closed it */
    OT_PAIRED_BY_GAP,  /* events of its thread are missing, its exit perhaps among them */
    OT_PAIRED_BY_END,  /* it is open where the input ends */
    OT_PAIRED_NO_ROOM  /* it was not taken, and had no begin */
};

struct ot_paired {
    enum ot_paired_kind kind;
    enum ot_paired_cause cause; /* unclosed */
    bool crosses;               /* slice: it ended before a call that began in it */
    size_t track;      /* counts up from 0 in the order of first sight: {host, process, thread,
                          lane, thread_key} */
    uint64_t tag;      /* slice, unclosed: what ot_pair_tag() had given its entry, else 0 */
    int64_t closed_ns; /* unclosed: the latest time that its track had seen by then */
    struct ot_slice slice;
};

struct ot_pair;

/* `names` is borrowed until ot_pair_free(); slices carry its ids. NULL when memory is out. */
struct ot_pair *ot_pair_new(struct ot_names *names);

/* From now on entries are yielded as well, each before the next event is fed. */
void ot_pair_want_begins(struct ot_pair *pair);

/* Right after a begin was yielded: a number that its slice will bear. */
void ot_pair_tag(struct ot_pair *pair, uint64_t tag);

/* Every kind of event may be fed; all are counted. OT_ERR_NOMEM: memory, or too many threads or
 * names. */
int ot_pair_feed(struct ot_pair *pair, const struct ot_event *event, struct ot_err *err);

/* The input has ended: what is open is unclosed, innermost first, tracks in order of appearance. */
void ot_pair_end(struct ot_pair *pair);

/* OT_OK with what became complete, OT_END when the next event may be fed. */
int ot_pair_next(struct ot_pair *pair, struct ot_paired *ret_paired);

/* Valid until ot_pair_free(); final once ot_pair_next() has said OT_END after ot_pair_end(). */
const struct ot_counts *ot_pair_counts(const struct ot_pair *pair);

void ot_pair_free(struct ot_pair *pair);

#endif
