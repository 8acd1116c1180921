/* activity.h: how busy threads and devices were, and how much memory was allocated, over time.
 *
 * The time from the first to the last slice of a session is cut into `n_bins` of the same length,
 * to the nanosecond; that of one without a slice from its first to its last memory event. A thread
 * is busy while an operator or a call into a runtime runs on it, a device while any of its streams
 * works; nothing counts twice. Busy times of a line add up to the union of its intervals. Not every
 * thread or device need have a line, but all of them are in the sums. Plain values. One thread.
 */
#ifndef OT_STATS_ACTIVITY_H
#define OT_STATS_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Lines of one kind: of more, only the busiest have one. */
enum { OT_ACTIVITY_MAX_LINES = 4096, OT_ACTIVITY_MAX_BINS = 4096 };

enum ot_activity_kind { OT_ACTIVITY_THREAD, OT_ACTIVITY_DEVICE, OT_ACTIVITY_MEMORY };

/* Where the bins of a session lie; in its own time, without its base. */
struct ot_activity_span {
    uint32_t n_bins; /* 1 or more; fewer than wanted where there are fewer nanoseconds */
    int64_t start_ns;
    int64_t end_ns; /* start_ns or later */
};

struct ot_activity_line {
    enum ot_activity_kind kind;
    uint32_t session;
    struct ot_activity_span span;
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

/* All threads, or all devices, of a session together. */
struct ot_activity_sum {
    uint64_t n; /* how many; 0: all else here is zeroed */
    struct ot_activity_span span;
    int64_t *values;
    int64_t total;
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
    struct ot_activity_sum *sums; /* ot_activity_sum_of() */
    size_t n_sums;
};

static inline int64_t ot_activity_span_ns(const struct ot_activity_span *span)
{
    int64_t len_ns = 0;
    return __builtin_sub_overflow(span->end_ns, span->start_ns, &len_ns) ? INT64_MAX : len_ns;
}

/* Where bin `bin` begins; that of n_bins is the end of the last one. */
int64_t ot_activity_bin_start(const struct ot_activity_span *span, uint32_t bin);

/* The bin that holds `ts_ns`; what is outside of the span belongs to the first or last one. */
uint32_t ot_activity_bin_of(const struct ot_activity_span *span, int64_t ts_ns);

/* A new line with values of 0; its number is the n_lines of before. */
int ot_activity_add_line(struct ot_activity *activity, const struct ot_activity_line *line,
                         struct ot_err *err);

/* Adds a stretch of busy time. Stretches of a line must not overlap. */
void ot_activity_add_busy(struct ot_activity_line *line, int64_t from_ns, int64_t to_ns);

/* Makes room for the sums of so many sessions; once. */
int ot_activity_reserve_sums(struct ot_activity *activity, size_t n_sessions, struct ot_err *err);

/* Adds a thread or device to its session's sum. */
int ot_activity_sum_up(struct ot_activity *activity, const struct ot_activity_line *line,
                       struct ot_err *err);

/* Of threads or of devices; NULL where the session has none. Valid as long as the activity. */
const struct ot_activity_sum *ot_activity_sum_of(const struct ot_activity *activity,
                                                 uint32_t session, enum ot_activity_kind kind);

void ot_activity_release(struct ot_activity *activity);

#endif
