/* fields.h: the fields of a RecordFunction that have no exported accessor.
 *
 * Where they lie is found out by probe.h, once per process. Any thread may read them, inside a
 * start callback.
 */
#ifndef OT_TRACER_FIELDS_H
#define OT_TRACER_FIELDS_H

#include <string.h>

#include "tracer/torch.h"

/* Autograd's sequence number, -1 none or unknown. */
static inline int64_t ot_fields_sequence(const struct ot_torch *torch, const void *rf)
{
    int64_t value = -1;
    if (torch->sequence_offset >= 0)
        memcpy(&value, (const char *)rf + torch->sequence_offset, sizeof(value));
    return value;
}

/* The thread that ran the forward operator, as at::RecordFunction::currentThreadId() numbers it;
 * 0 none (not a backward operator) or unknown. */
static inline uint64_t ot_fields_forward_thread(const struct ot_torch *torch, const void *rf)
{
    uint64_t value = 0;
    if (torch->forward_thread_offset >= 0)
        memcpy(&value, (const char *)rf + torch->forward_thread_offset, sizeof(value));
    return value;
}

#endif
