/* stream.h: the bytes of a file, unpacked, on the caller's own thread.
 *
 * One thread, but for the stopping of its input.
 */
#ifndef OT_INGEST_BYTES_STREAM_H
#define OT_INGEST_BYTES_STREAM_H

#include "ingest/bytes/input.h"
#include "ingest/bytes/unpack.h"

struct ot_stream {
    struct ot_input input;
    struct ot_source_opts opts;
    const struct ot_unpack_class *class;
    struct ot_unpacker *unpacker;
    unsigned char
        *packed; /* for what is packed: a piece of the file between OT_UNPACK_BACK bytes */
    size_t packed_cap;
    struct ot_unpack_span span; /* what is left of that piece */
    uint64_t n_unpacked;
};

/* Reads the file in pieces of `piece_len`. As ot_source_open(); release it only after OT_OK. */
int ot_stream_open(struct ot_stream *stream, const char *path, const struct ot_source_opts *opts,
                   size_t piece_len, struct ot_err *err);

/* OT_OK with `cap` bytes. Any other code comes with those that were left, *ret_len of them: OT_END,
 * and the failures of ot_source_next(). Then only skip and release may be called. */
int ot_stream_fill(struct ot_stream *stream, unsigned char *ret_bytes, size_t cap, size_t *ret_len,
                   struct ot_err *err);

/* Shows the tap what is left of the file, when the rest is of no use to anybody else. */
void ot_stream_skip(struct ot_stream *stream);

void ot_stream_release(struct ot_stream *stream);

#endif
