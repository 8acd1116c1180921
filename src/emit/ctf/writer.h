/* writer.h: a recording as CTF 1.8, with the events that LTTng-UST would have written.
 *
 * A folder per host, each a trace that stands for itself: FOLDER/HOST/metadata and stream files
 * beside it. Threads share a stream where the one begins after the other has ended, so that there
 * are as many streams as threads at the same time at most, and a reader that opens all of them can.
 * Timestamps are whole nanoseconds since the epoch.
 *
 * Memory is bounded by the number of threads and by the depth of their calls. Same events, same
 * bytes. One thread.
 */
#ifndef OT_EMIT_CTF_WRITER_H
#define OT_EMIT_CTF_WRITER_H

#include <stdint.h>

#include "base/err.h"
#include "model/event.h"

struct ot_ctf_writer;

/* What CTF cannot say, or these events of it cannot. */
struct ot_ctf_left_out {
    uint64_t memory_events;
    uint64_t sequences; /* calls whose sequence number is left out */
    uint64_t shapes;    /* calls whose input shapes are left out */
    uint64_t crossings; /* exits of a call while others that began after it were open: whoever reads
                           the trace may take them for those of others */
};

/* Writes below `folder`, which exists and is kept by reference. NULL when memory is out. */
struct ot_ctf_writer *ot_ctf_writer_new(const char *folder);

/* Entries, exits and losses of a recording; other events are counted as left out. OT_ERR_IO: the
 * disk refused; OT_ERR_INPUT: a time or number that the trace cannot hold. After a failure only
 * ot_ctf_writer_free() may be called. */
int ot_ctf_writer_add(struct ot_ctf_writer *writer, const struct ot_event *event,
                      struct ot_err *err);

/* Writes what is pending, and the metadata: only then the traces are whole. At least one is made.
 */
int ot_ctf_writer_finish(struct ot_ctf_writer *writer, struct ot_ctf_left_out *ret_left_out,
                         struct ot_err *err);

/* Takes NULL. Leaves the files alone. */
void ot_ctf_writer_free(struct ot_ctf_writer *writer);

#endif
