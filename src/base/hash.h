/* hash.h: hashes for tables in memory.
 *
 * Not for anything that is stored or that has to withstand someone who chooses keys on purpose:
 * tables bound their size and compare keys in full.
 */
#ifndef OT_BASE_HASH_H
#define OT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The multiplier is 2^64 divided by the golden ratio, made odd: it spreads neighbouring values. */
static inline uint64_t ot_hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static inline uint64_t ot_hash_bytes(const char *bytes, size_t len)
{
    uint64_t hash = ot_hash_mix(0, len);
    while (len >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        hash = ot_hash_mix(hash, word);
        bytes += sizeof(word);
        len -= sizeof(word);
    }
    uint64_t rest = 0;
    if (len)
        memcpy(&rest, bytes, len);
    return ot_hash_mix(hash, rest);
}

#endif
