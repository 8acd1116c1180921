/* window.h: sums over the last seconds of what goes on.
 *
 * Time is cut into slices, each as long as what its maker has seen at once; a slice holds what each
 * key has done in it. What lies further back than the window's span is forgotten, keys included, so
 * that memory does not grow with time. A key is any run of bytes. One thread.
 */
#ifndef OT_STATS_WINDOW_H
#define OT_STATS_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum {
    OT_WINDOW_MAX_SLICES = 600,
    OT_WINDOW_MAX_CELLS = 1 << 20, /* {key, slice}: beyond it the oldest slices go early */
};

struct ot_window;

/* Of a stretch of time. */
struct ot_window_slice {
    uint64_t wall_ns;
    uint64_t n_events;
    uint64_t n_skipped;   /* events that were not looked at */
    uint64_t grown_bytes; /* of the logs */
};

/* Of a key in a stretch of time. */
struct ot_window_sums {
    uint64_t self_ns;
    uint64_t inclusive_ns;
    uint64_t n_calls;
};

struct ot_window_row {
    struct ot_text key; /* valid until the next call of ot_window_begin() */
    struct ot_window_sums sums;
};

/* The sum over the newest slices; valid until the window is changed or asked again. */
struct ot_window_view {
    struct ot_window_slice whole;
    const struct ot_window_row *rows; /* in no particular order */
    size_t n_rows;
};

/* NULL when memory is out. */
struct ot_window *ot_window_new(uint64_t span_ns);

/* A stretch of time behind the last one. It becomes a slice of its own unless it is so short that
 * it belongs to the last one. */
int ot_window_begin(struct ot_window *window, const struct ot_window_slice *slice,
                    struct ot_err *err);

/* Adds to a key in the newest slice. */
int ot_window_add(struct ot_window *window, struct ot_text key, const struct ot_window_sums *sums,
                  struct ot_err *err);

/* Over the last `span_ns`, or all there is. Of a slice that only reaches into it, as much is
 * counted as its share of time. */
int ot_window_view(struct ot_window *window, uint64_t span_ns, struct ot_window_view *ret_view,
                   struct ot_err *err);

/* Of one key in the last view; zero if that has none. */
struct ot_window_sums ot_window_sums_of(const struct ot_window *window, struct ot_text key);

void ot_window_free(struct ot_window *window);

#endif
