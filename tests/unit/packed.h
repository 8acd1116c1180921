/* packed.h: bytes that look like a trace, and the same packed. */
#ifndef OT_TESTS_UNIT_PACKED_H
#define OT_TESTS_UNIT_PACKED_H

#include "test.h"

#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct blob {
    unsigned char *bytes;
    size_t len;
    size_t cap;
};

/* Room for `len` more bytes at the end; never NULL. */
static inline unsigned char *blob_room(struct blob *blob, size_t len)
{
    if (blob->cap <= blob->len + len) {
        blob->cap = 2 * (blob->len + len) + 64;
        blob->bytes = realloc(blob->bytes, blob->cap);
        assert_non_null(blob->bytes);
    }
    return blob->bytes + blob->len;
}

static inline void blob_add(struct blob *blob, const void *bytes, size_t len)
{
    memcpy(blob_room(blob, len), bytes, len);
    blob->len += len;
}

static inline void blob_clear(struct blob *blob)
{
    free(blob->bytes);
    *blob = (struct blob){0};
}

/* Events with names and numbers that do not repeat exactly. */
static inline struct blob make_text(size_t len)
{
    struct blob text = {0};
    uint32_t state = 1;
    blob_room(&text, len);
    while (text.len < len) {
        char line[96];
        state = state * 1664525u + 1013904223u;
        int line_len = snprintf(line, sizeof(line), "{\"name\": \"aten::op_%u\", \"ts\": %u},\n",
                                state >> 28, state);
        size_t n_left = len - text.len;
        blob_add(&text, line, (size_t)line_len < n_left ? (size_t)line_len : n_left);
    }
    return text;
}

/* A gzip member; with every optional part of its header, if asked. */
static inline void add_gzip(struct blob *packed, const void *bytes, size_t len, bool has_extras)
{
    static char name[] = "trace.json";
    static char comment[] = "a comment";
    static unsigned char extra[] = {'x', 'y', 2, 0, 7, 0};
    struct isal_zstream stream;
    isal_deflate_init(&stream);
    size_t cap = len + len / 8 + 1024;
    stream.next_out = blob_room(packed, cap);
    stream.avail_out = (uint32_t)cap;
    stream.gzip_flag = IGZIP_GZIP;
    if (has_extras) {
        struct isal_gzip_header header;
        isal_gzip_header_init(&header);
        header.text = 1;
        header.hcrc = 1;
        header.name = name;
        header.name_buf_len = sizeof(name);
        header.comment = comment;
        header.comment_buf_len = sizeof(comment);
        header.extra = extra;
        header.extra_len = sizeof(extra);
        header.extra_buf_len = sizeof(extra);
        assert_int_equal(isal_write_gzip_header(&stream, &header), ISAL_DECOMP_OK);
        stream.gzip_flag = IGZIP_GZIP_NO_HDR;
    }
    stream.next_in = (uint8_t *)bytes;
    stream.avail_in = (uint32_t)len;
    stream.end_of_stream = 1;
    assert_int_equal(isal_deflate(&stream), COMP_OK);
    assert_int_equal(stream.internal_state.state, ZSTATE_END);
    packed->len += cap - stream.avail_out;
}

static inline void add_zstd(struct blob *packed, const void *bytes, size_t len)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t cap = ZSTD_compressBound(len);
    size_t packed_len = ZSTD_compress2(context, blob_room(packed, cap), cap, bytes, len);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(packed_len));
    packed->len += packed_len;
}

#endif
