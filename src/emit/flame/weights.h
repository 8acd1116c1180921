/* weights.h: what a frame of a stack weighs. Private to this folder. */
#ifndef OT_EMIT_FLAME_WEIGHTS_H
#define OT_EMIT_FLAME_WEIGHTS_H

#include "emit/flame/flame.h"

static inline int64_t flame_weight_of(const struct ot_stack_frame *frame,
                                      enum ot_flame_weight weight)
{
    const int64_t weights[OT_FLAME_WEIGHTS] = {
        [OT_FLAME_SELF] = frame->self_ns,
        [OT_FLAME_CALLS] = frame->n_calls > INT64_MAX ? INT64_MAX : (int64_t)frame->n_calls,
        [OT_FLAME_ALLOCATED] = frame->allocated_bytes,
        [OT_FLAME_DEVICE] = frame->device_ns,
    };
    return weights[weight];
}

#endif
