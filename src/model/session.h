/* session.h: one profiling session, as the input describes itself.
 *
 * A session is one file of torch.profiler, or all that one reader of recordings reads. Plain
 * values; the texts are borrowed from who filled the struct in.
 */
#ifndef OT_MODEL_SESSION_H
#define OT_MODEL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct ot_session {
    struct ot_text path;
    struct ot_text host;    /* empty where the trace does not say, or says it per event */
    struct ot_text torch;   /* PyTorch's version, several with ", " between; empty: nobody says */
    struct ot_text devices; /* what they are called, a line each; empty likewise */
    bool has_rank;
    bool has_world_size;
    bool has_base; /* times count from base_ns, which counts from the epoch */
    int64_t rank;
    int64_t world_size;
    int64_t base_ns;
};

#endif
