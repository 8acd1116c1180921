/* pftrace.h: Perfetto's trace format, as a stream of packets.
 *
 * An encoder of our own, since all it takes is a few field numbers (fields.h) and two ways to write
 * a number (wire.h): a packet is some twenty bytes, a long recording has tens of millions of them,
 * and a generated library would build each as a message in memory first. Packets are encoded into
 * the buffer that is written out, and nothing is allocated for one.
 *
 * All packets belong to one sequence. Names, categories and texts are written once, with the first
 * packet that needs them, and are numbers from then on. Times are written as nanoseconds since a
 * base, on a clock of the sequence's own, which takes four bytes less than the time since the
 * epoch; readers see the latter. Packets may come in any order: a reader sorts them by time, and
 * keeps the order of those that share theirs.
 *
 * Failures stick: after one nothing more is written, and the next ot_pftrace_check() or
 * ot_pftrace_finish() says what it was. One thread.
 */
#ifndef OT_EMIT_PFTRACE_PFTRACE_H
#define OT_EMIT_PFTRACE_PFTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "model/names.h"

struct ot_pftrace;

enum { OT_PFTRACE_NO_NAME = UINT32_MAX };

enum ot_pftrace_track_kind {
    OT_PFTRACE_TRACK,
    OT_PFTRACE_PROCESS,
    OT_PFTRACE_THREAD,
    OT_PFTRACE_COUNTER /* of bytes */
};

/* Readers take processes of one pid for one, threads of one {pid, tid} likewise, and keep 31 bits
 * of either. */
struct ot_pftrace_track {
    enum ot_pftrace_track_kind kind;
    uint64_t uuid;   /* not 0; small numbers make small files */
    uint64_t parent; /* 0: none. A thread's is its pid's */
    struct ot_text name;
    int32_t pid; /* process, thread */
    int32_t tid; /* thread */
    bool has_order;
    int32_t order; /* among its siblings, ascending */
};

/* What is said of an event, shown beside it. */
enum ot_pftrace_note_kind { OT_PFTRACE_TEXT, OT_PFTRACE_INT, OT_PFTRACE_UINT };

struct ot_pftrace_note {
    uint32_t name; /* id of a name */
    enum ot_pftrace_note_kind kind;
    uint64_t value; /* the number's bits, or the text's id */
};

enum ot_pftrace_event_kind { OT_PFTRACE_BEGIN, OT_PFTRACE_END, OT_PFTRACE_INSTANT };

struct ot_pftrace_event {
    enum ot_pftrace_event_kind kind;
    uint64_t track;
    int64_t ts_ns;
    uint32_t name; /* ids of names, or OT_PFTRACE_NO_NAME */
    uint32_t category;
    const struct ot_pftrace_note *notes;
    size_t n_notes;
    const uint64_t *flows; /* events with the same number are joined, in the order of time */
    size_t n_flows;
};

/* Both are borrowed until the trace is freed. NULL when memory is out. */
struct ot_pftrace *ot_pftrace_new(FILE *out, const struct ot_names *names);

/* Once, before all else. `base_ns` is best the earliest time there will be. With `is_epoch` times
 * count from 1970, and the trace says so. */
void ot_pftrace_put_clock(struct ot_pftrace *trace, int64_t base_ns, bool is_epoch);

/* Before or after the events of the track. */
void ot_pftrace_put_track(struct ot_pftrace *trace, const struct ot_pftrace_track *track);

/* An end ends the innermost slice of its track. */
void ot_pftrace_put_event(struct ot_pftrace *trace, const struct ot_pftrace_event *event);

/* An end that has nothing to say, as half of all packets. */
void ot_pftrace_put_end(struct ot_pftrace *trace, uint64_t track, int64_t ts_ns);

void ot_pftrace_put_counter(struct ot_pftrace *trace, uint64_t track, int64_t ts_ns, int64_t value);

/* OT_OK, or the first failure: OT_ERR_NOMEM, OT_ERR_IO. */
int ot_pftrace_check(const struct ot_pftrace *trace, struct ot_err *err);

/* Writes what is in the buffer, and flushes. */
int ot_pftrace_finish(struct ot_pftrace *trace, struct ot_err *err);

/* Takes NULL. */
void ot_pftrace_free(struct ot_pftrace *trace);

#endif
