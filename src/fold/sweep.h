/* sweep.h: nests the slices of one group and adds up what follows from that.
 *
 * A stack walks along the slices in order. What ends later than what it began in is clamped to it:
 * for nesting alone, since its duration is what the trace says. Work launched and memory taken at a
 * time belong to the operators whose interval [start, end) holds that time, all that start then
 * included; so they are handed out when time has gone on. Private to this folder. One thread.
 */
#ifndef OT_FOLD_SWEEP_H
#define OT_FOLD_SWEEP_H

#include "base/str.h"
#include "fold/intake.h"
#include "fold/phases.h"
#include "fold/spans.h"

/* How deep calls may be inside one another. */
enum { OT_SWEEP_MAX_DEPTH = 1 << 20 };

struct ot_sweep {
    struct ot_intake *intake;
    const uint32_t *order;
    struct ot_phases phases;
    struct ot_spans synchronization; /* owner: of the tracks that tables.h makes */
    struct ot_spans compilation;
    struct ot_spans device;
    struct ot_str line;

    struct ot_level *stack;
    size_t depth;
    size_t stack_cap;
    bool has_frames;       /* what the stack holds counts in the stacks of calls, too */
    uint32_t thread_frame; /* of these: what is around the outermost */
    int sink_code;         /* the first failure of the intake's sink, which came by the way */
    struct ot_err *sink_err;
    uint32_t *pending; /* launches whose call began at the time that the stack stands at */
    size_t n_pending;
    size_t pending_cap;
};

/* A group that nests. `track` is its thread's number in the population's table; memory events are
 * the `n_memory` of this group in the order of time. */
int ot_sweep_group(struct ot_sweep *sweep, const struct ot_group *group, uint32_t track,
                   const struct ot_memory_event *memory, size_t n_memory, struct ot_err *err);

/* A device: adds up its times; their union is that of `owner`. A sink is told which operators
 * launched its work, once all threads are swept. */
int ot_sweep_device(struct ot_sweep *sweep, const struct ot_group *group, uint32_t owner,
                    struct ot_device *device, struct ot_err *err);

void ot_sweep_release(struct ot_sweep *sweep);

#endif
