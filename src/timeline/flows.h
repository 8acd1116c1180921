/* flows.h: numbers of arrows, made of what both ends of one say, so that none has to be kept. */
#ifndef OT_TIMELINE_FLOWS_H
#define OT_TIMELINE_FLOWS_H

#include <stdint.h>

#include "base/hash.h"

/* So that equal numbers of two kinds of arrows make none. */
enum ot_flow_kind { OT_FLOW_LAUNCH = 1, OT_FLOW_ARROW, OT_FLOW_SEQUENCE };

/* Never 0, which is no arrow's number. */
static inline uint64_t ot_flow_of(enum ot_flow_kind kind, uint64_t place, uint64_t number)
{
    uint64_t hash = ot_hash_mix(ot_hash_mix(ot_hash_mix(0, kind), place), number);
    return hash ? hash : 1;
}

#endif
