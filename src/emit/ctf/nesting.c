#include "emit/ctf/nesting.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* How far down an exit looks for its entry, so that a hostile recording stays linear. */
enum { MAX_LOOK = 4096 };

bool ot_nesting_begin(struct ot_nesting *nesting, struct ot_text name, int64_t began_ns)
{
    if (!ot_vec_reserve(&nesting->calls, &nesting->cap, nesting->n + 1, sizeof(*nesting->calls)))
        return false;
    nesting->calls[nesting->n++] =
        (struct ot_nested_call){ot_hash_bytes(name.bytes, name.len), began_ns};
    return true;
}

void ot_nesting_end(struct ot_nesting *nesting, struct ot_text name)
{
    uint64_t hash = ot_hash_bytes(name.bytes, name.len);
    size_t look_until = nesting->n > MAX_LOOK ? nesting->n - MAX_LOOK : 0;
    for (size_t i = nesting->n; i-- > look_until;) {
        if (nesting->calls[i].name_hash != hash)
            continue;
        nesting->n = i;
        return;
    }
}

bool ot_nesting_end_exactly(struct ot_nesting *nesting, struct ot_text name, int64_t began_ns)
{
    uint64_t hash = ot_hash_bytes(name.bytes, name.len);
    size_t look_until = nesting->n > MAX_LOOK ? nesting->n - MAX_LOOK : 0;
    for (size_t i = nesting->n; i-- > look_until;) {
        struct ot_nested_call *call = &nesting->calls[i];
        if (call->name_hash != hash || call->began_ns != began_ns)
            continue;
        size_t n_behind = --nesting->n - i;
        memmove(call, call + 1, n_behind * sizeof(*call));
        return n_behind == 0;
    }
    return false;
}

void ot_nesting_release(struct ot_nesting *nesting)
{
    free(nesting->calls);
    *nesting = (struct ot_nesting){0};
}
