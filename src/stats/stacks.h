/* stacks.h: the calls of a population as a tree: which operator inside which, how often, how long.
 *
 * A *frame* is all calls with one name inside one chain of callers, from the outermost; operators
 * and calls into a runtime are what it is made of, as self times are. Frame 0 is the root, which
 * is no call. With `by_track` its children are threads, and the calls are below these; without, the
 * calls of all threads with the same callers share a frame. Self times of all frames add up to
 * those of the population's rows; and so do calls, allocated bytes and device times, but for what
 * no operator owns: that is the root's (or with `by_track` the thread's) own. Calls past a limit
 * count for the call around them; what has none around it shares a frame of its own, so that it is
 * not taken for what no operator owns. Plain values. One thread.
 */
#ifndef OT_STATS_STACKS_H
#define OT_STATS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"

/* What an input can make us hold. Threads, and what stands for calls past it, have frames beyond.
 */
enum { OT_STACKS_MAX_FRAMES = 1 << 21, OT_STACKS_MAX_DEPTH = 512 };

enum { OT_STACKS_ROOT = 0 /* its number */ };

/* Backends of frames that have none: what is no call (the root, a thread), and calls past a limit
 * that no other call is around. */
enum { OT_STACKS_NO_CALL = -1, OT_STACKS_MORE = -2 };

struct ot_stack_frame {
    uint32_t parent; /* its number is smaller; the root's is its own */
    uint32_t name;   /* id of the population's names; without a backend: meaningless */
    uint32_t track;  /* with by_track: 1 + the number in `tracks`; else, and of the root, 0 */
    uint32_t depth;  /* the root's is 0 */
    int backend;     /* or one of the above */
    uint64_t n_calls;
    int64_t self_ns;
    int64_t allocated_bytes; /* by its own calls, not those below */
    int64_t device_ns;       /* launched by its own calls */
};

struct ot_stack_track {
    uint32_t session;
    uint32_t host;
    int64_t vpid;
    uint64_t vtid;
};

struct ot_stacks_opts {
    bool by_track;
    size_t max_frames; /* 0: OT_STACKS_MAX_FRAMES */
};

/* Zeroed but for `opts`, it is empty; once it was filled in it has its root. */
struct ot_stacks {
    struct ot_stacks_opts opts;
    struct ot_stack_frame *frames;
    size_t n_frames;
    struct ot_stack_track *tracks;
    size_t n_tracks;
    uint64_t n_merged_calls; /* that were past a limit */

    size_t frames_cap;
    size_t tracks_cap;
    struct ot_map map;
};

/* Makes the root. `stacks` is zeroed but for `opts`. */
int ot_stacks_init(struct ot_stacks *stacks, struct ot_err *err);

/* The frame of `name` inside `parent`, made when it is first asked for. Past a limit: `parent`, or
 * inside what is no call its one frame of OT_STACKS_MORE. */
int ot_stacks_enter(struct ot_stacks *stacks, uint32_t parent, int backend, uint32_t name,
                    uint32_t *ret_frame, struct ot_err *err);

/* With by_track: the thread's frame. Else the root. */
int ot_stacks_enter_track(struct ot_stacks *stacks, const struct ot_stack_track *track,
                          uint32_t *ret_frame, struct ot_err *err);

/* Once all has entered: gives back what only that needed. */
void ot_stacks_finish(struct ot_stacks *stacks);

void ot_stacks_release(struct ot_stacks *stacks);

#endif
