/* nesting.h: the calls of one thread that have begun and not ended, to tell exits that a reader
 * who pairs by names alone will read otherwise. A zeroed struct has none. */
#ifndef OT_EMIT_CTF_NESTING_H
#define OT_EMIT_CTF_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct ot_nesting {
    struct ot_nested_call {
        uint64_t name_hash;
        int64_t began_ns;
    } * calls;
    size_t n;
    size_t cap;
};

/* False when memory is out. */
bool ot_nesting_begin(struct ot_nesting *nesting, struct ot_text name, int64_t began_ns);

/* Ends the newest call of that name, and with it what has begun since. */
void ot_nesting_end(struct ot_nesting *nesting, struct ot_text name);

/* Ends the call of that name that began then, and no other. False if that was not the newest call
 * of all. */
bool ot_nesting_end_exactly(struct ot_nesting *nesting, struct ot_text name, int64_t began_ns);

void ot_nesting_release(struct ot_nesting *nesting);

#endif
