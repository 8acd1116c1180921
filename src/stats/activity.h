/* activity.h: how busy threads and devices were, and how much memory was allocated, over time.
 *
 * The time from the first to the last slice of a session is cut into `n_bins` of the same length,
 * to the nanosecond. A thread is busy while an operator or a call into a runtime runs on it, a
 * device while any of its streams works; nothing counts twice. Busy times of a line add up to the
 * union of its intervals. Plain values. One thread.
 */
#ifndef OT_STATS_ACTIVITY_H
#define OT_STATS_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Lines past the limit are left out, and counted. */
enum { OT_ACTIVITY_MAX_LINES = 4096, OT_ACTIVITY_MAX_BINS = 4096 };

enum ot_activity_kind { OT_ACTIVITY_THREAD, OT_ACTIVITY_DEVICE, OT_ACTIVITY_MEMORY };

struct ot_activity_line {
    enum ot_activity_kind kind;
    uint32_t session;
    uint32_t host; /* thread */
    int64_t vpid;
    uint64_t vtid;
    uint32_t device; /* device, memory: number in the population's table */
    int64_t *values; /* thread, device: busy nanoseconds in each bin. Memory: the most that was
                        allocated in each bin, in bytes; a bin without events has what the one
                        before ended with */
    int64_t total;   /* busy nanoseconds; memory: the peak */
    bool is_summed;  /* memory: from what was seen, since the trace does not tell totals; what was
                        allocated before that is not in it */
};

struct ot_activity_opts {
    uint32_t n_bins; /* 1 or more, OT_ACTIVITY_MAX_BINS at most */
};

/* Zeroed but for `opts`, it is empty. */
struct ot_activity {
    struct ot_activity_opts opts;
    struct ot_activity_line *lines;
    size_t n_lines;
    size_t cap;
    uint64_t n_left_out;
};

/* Where the bins of a session lie. */
struct ot_activity_span {
    uint32_t n_bins;
    int64_t start_ns;
    int64_t end_ns; /* start_ns or later */
};

/* Where bin `bin` begins; that of n_bins is the end of the last one. */
int64_t ot_activity_bin_start(const struct ot_activity_span *span, uint32_t bin);

/* The bin that holds `ts_ns`; what is outside of the span belongs to the first or last one. */
uint32_t ot_activity_bin_of(const struct ot_activity_span *span, int64_t ts_ns);

/* A new line with values of 0; its number is the n_lines of before. OT_END: there are too many, and
 * this one is left out. */
int ot_activity_add_line(struct ot_activity *activity, const struct ot_activity_line *line,
                         struct ot_err *err);

/* Adds a stretch of busy time. Stretches of a line must not overlap. */
void ot_activity_add_busy(struct ot_activity_line *line, const struct ot_activity_span *span,
                          int64_t from_ns, int64_t to_ns);

void ot_activity_release(struct ot_activity *activity);

#endif
