/* index.h: whether the packet indexes of a trace agree with its streams.
 *
 * libbabeltrace2 2.0.4 aborts the process on an index that points beyond its stream, so this has to
 * be known before. A trace without indexes is fine.
 */
#ifndef OT_INGEST_CTF_INDEX_H
#define OT_INGEST_CTF_INDEX_H

#include <stdint.h>

#include "base/err.h"

/* What indexes know of. */
struct ot_ctf_packets {
    uint64_t n;
    uint64_t n_bytes;
};

/* `folder` is the trace folder, which may have a folder `index`; what its indexes know of is added
 * to `sum`. OT_ERR_INPUT with one sentence that names the stream or the index. */
int ot_ctf_check_indexes(const char *folder, struct ot_ctf_packets *sum, struct ot_err *err);

#endif
