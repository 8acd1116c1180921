/* label.h: processes, threads and devices that have a name instead of a number.
 *
 * Their number then stands for the id of the name (names.h). The ranges are such as no system
 * uses; a reader that meets a number in them anyway takes its digits for a name. Any thread.
 */
#ifndef OT_MODEL_LABEL_H
#define OT_MODEL_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/names.h"

static inline int64_t ot_vpid_of_name(uint32_t id)
{
    return INT64_MIN + (int64_t)id;
}

static inline uint64_t ot_vtid_of_name(uint32_t id)
{
    return (UINT64_C(1) << 63) + id;
}

static inline bool ot_vpid_is_reserved(int64_t vpid)
{
    return vpid <= INT64_MIN + (int64_t)UINT32_MAX;
}

static inline bool ot_vtid_is_reserved(uint64_t vtid)
{
    return vtid >> 32 == UINT64_C(1) << 31;
}

/* As a trace writes it: one below 0 is kept as what it is modulo 2^64 (a signed 32-bit hash that
 * Kineto prints for a thread). */
static inline int64_t ot_vtid_number(uint64_t vtid)
{
    return (int64_t)vtid;
}

/* False also for a reserved number that stands for no name. */
static inline bool ot_vpid_is_name(const struct ot_names *names, int64_t vpid, uint32_t *ret_id)
{
    *ret_id = (uint32_t)(uint64_t)vpid;
    return ot_vpid_is_reserved(vpid) && *ret_id < names->n_texts;
}

static inline bool ot_vtid_is_name(const struct ot_names *names, uint64_t vtid, uint32_t *ret_id)
{
    *ret_id = (uint32_t)vtid;
    return ot_vtid_is_reserved(vtid) && *ret_id < names->n_texts;
}

#endif
