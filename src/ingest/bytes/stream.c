#include "ingest/bytes/stream.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Traces shrink to a tenth or a fiftieth. What unpacks to this many times its size, once there is
 * much of it, was made to keep its reader busy. */
enum { BOMB_RATIO = 1000, BOMB_MIN_BYTES = 1 << 30 };

int ot_stream_open(struct ot_stream *stream, const char *path, const struct ot_source_opts *opts,
                   size_t piece_len, struct ot_err *err)
{
    *stream = (struct ot_stream){.opts = *opts, .packed_cap = piece_len};
    int code = ot_input_open(&stream->input, path, err);
    if (code < 0)
        return code;
    stream->class = ot_unpack_find(stream->input.head, stream->input.n_head);
    if (!stream->class->open)
        return OT_OK;
    stream->packed = calloc(1, stream->packed_cap + 2 * OT_UNPACK_BACK);
    stream->unpacker = stream->class->open();
    if (stream->packed && stream->unpacker) {
        stream->span.in = stream->packed + OT_UNPACK_BACK;
        return OT_OK;
    }
    ot_stream_release(stream);
    return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory", path);
}

static int read_piece(struct ot_stream *stream, unsigned char *bytes, size_t cap, size_t *ret_len,
                      struct ot_err *err)
{
    size_t len = 0;
    int code = ot_input_read(&stream->input, bytes, cap, &len, err);
    if (code < 0)
        return code;
    if (stream->opts.read_bytes)
        atomic_fetch_add_explicit(stream->opts.read_bytes, len, memory_order_relaxed);
    if (len > 0 && stream->opts.tap)
        stream->opts.tap(stream->opts.tap_context, stream->opts.session, bytes, len);
    *ret_len = len;
    return OT_OK;
}

static int fill_plain(struct ot_stream *stream, struct ot_unpack_span *room, struct ot_err *err)
{
    while (room->out_len > 0) {
        size_t len = 0;
        int code = read_piece(stream, room->out, room->out_len, &len, err);
        if (code < 0)
            return code;
        if (len == 0)
            return OT_END;
        room->out += len;
        room->out_len -= len;
    }
    return OT_OK;
}

/* OT_END if there is no more to take. */
static int take_piece(struct ot_stream *stream, struct ot_unpack_span *span, struct ot_err *err)
{
    memmove(stream->packed, span->in - OT_UNPACK_BACK, OT_UNPACK_BACK);
    span->in = stream->packed + OT_UNPACK_BACK;
    int code = read_piece(stream, span->in, stream->packed_cap, &span->in_len, err);
    return code == OT_OK && span->in_len == 0 ? OT_END : code;
}

static int fill_unpacked(struct ot_stream *stream, struct ot_unpack_span *span,
                         const char **ret_fault, struct ot_err *err)
{
    while (span->out_len > 0) {
        size_t in_len = span->in_len;
        size_t out_len = span->out_len;
        int code = stream->class->step(stream->unpacker, span, ret_fault);
        if (code == OT_OK && in_len == span->in_len && out_len == span->out_len)
            code = take_piece(stream, span, err);
        if (code != OT_OK)
            return code;
    }
    return OT_OK;
}

/* The sentence for what is wrong with the data. */
static int describe(struct ot_stream *stream, int code, const char *fault, struct ot_err *err)
{
    uint64_t at = stream->input.n_read - stream->span.in_len;
    if (fault)
        return ot_err_set(err, code,
                          "%s data %s at byte %" PRIu64 " of the file, after %" PRIu64
                          " unpacked bytes",
                          stream->class->name, fault, at, stream->n_unpacked);
    if (code != OT_END || stream->class->is_whole(stream->unpacker))
        return code;
    return ot_err_set(err, OT_ERR_INPUT,
                      "%s data ends early, after %" PRIu64 " unpacked bytes (byte %" PRIu64
                      " of the file)",
                      stream->class->name, stream->n_unpacked, at);
}

static bool is_bomb(const struct ot_stream *stream)
{
    return stream->class->open && stream->n_unpacked > BOMB_MIN_BYTES &&
           stream->n_unpacked / BOMB_RATIO > stream->input.n_read;
}

int ot_stream_fill(struct ot_stream *stream, unsigned char *ret_bytes, size_t cap, size_t *ret_len,
                   struct ot_err *err)
{
    struct ot_unpack_span *span = &stream->span;
    const char *fault = NULL;
    span->out = ret_bytes;
    span->out_len = cap;
    int code = stream->class->open ? fill_unpacked(stream, span, &fault, err)
                                   : fill_plain(stream, span, err);
    *ret_len = cap - span->out_len;
    stream->n_unpacked += *ret_len;
    if (is_bomb(stream))
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s data unpacks to more than %d times its size (%" PRIu64
                          " bytes so far): no trace does",
                          stream->class->name, BOMB_RATIO, stream->n_unpacked);
    return stream->class->open ? describe(stream, code, fault, err) : code;
}

void ot_stream_skip(struct ot_stream *stream)
{
    size_t len = 1;
    while (stream->opts.tap && stream->packed && len > 0 &&
           read_piece(stream, stream->packed, stream->packed_cap, &len, NULL) == OT_OK) {
    }
}

void ot_stream_release(struct ot_stream *stream)
{
    if (stream->class && stream->class->close)
        stream->class->close(stream->unpacker);
    free(stream->packed);
    ot_input_release(&stream->input);
    *stream = (struct ot_stream){.input = {.fd = -1, .stop_fd = -1}};
}
