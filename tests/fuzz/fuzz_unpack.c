/* fuzz_unpack.c: any bytes through the unpackers of ingest/bytes/unpack.h.
 *
 * The first byte chooses how large the pieces are in which the rest goes in. What is unpacked does
 * not depend on that, and an unpacker that moves nothing says that it is done or what is wrong. */
#include "fuzz.h"

#include <string.h>

#include "ingest/bytes/unpack.h"

enum { MAX_OUT = 1 << 13, MAX_STEPS = 1 << 18 };

struct result {
    int code;
    bool is_whole;
    size_t len;
    unsigned char bytes[MAX_OUT];
};

static void unpack(const struct ot_unpack_class *class, const uint8_t *data, size_t len,
                   size_t piece_len, struct result *ret)
{
    struct ot_unpacker *unpacker = class->open();
    OT_FUZZ_CHECK(unpacker);
    unsigned char *copy = calloc(1, len + OT_UNPACK_BACK);
    OT_FUZZ_CHECK(copy);
    if (len)
        memcpy(copy, data, len);
    struct ot_unpack_span span = {.in = copy, .out = ret->bytes, .out_len = MAX_OUT};
    size_t n_given = 0;
    *ret = (struct result){.code = OT_OK};
    for (int step = 0; ret->code == OT_OK && span.out_len; step++) {
        OT_FUZZ_CHECK(step < MAX_STEPS);
        const char *fault = NULL;
        size_t in_len = span.in_len;
        size_t out_len = span.out_len;
        ret->code = class->step(unpacker, &span, &fault);
        OT_FUZZ_CHECK(ret->code == OT_OK || (ret->code < 0 && fault));
        OT_FUZZ_CHECK(span.in_len <= in_len + OT_UNPACK_BACK && span.in >= copy &&
                      span.out_len <= out_len);
        if (ret->code != OT_OK || in_len != span.in_len || out_len != span.out_len)
            continue;
        if (n_given == len)
            break;
        size_t more = len - n_given < piece_len ? len - n_given : piece_len;
        span.in = copy + n_given - span.in_len;
        span.in_len += more;
        n_given += more;
    }
    ret->len = MAX_OUT - span.out_len;
    ret->is_whole = ret->code == OT_OK && class->is_whole(unpacker);
    class->close(unpacker);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct result whole;
    static struct result pieces;
    if (len == 0)
        return 0;
    const struct ot_unpack_class *class = ot_unpack_find(data + 1, len - 1);
    if (!class->open)
        return 0;
    unpack(class, data + 1, len - 1, len, &whole);
    unpack(class, data + 1, len - 1, (size_t)data[0] % 64 + 1, &pieces);
    bool is_full = whole.len == MAX_OUT || pieces.len == MAX_OUT;
    OT_FUZZ_CHECK((whole.code < 0) == (pieces.code < 0) || is_full);
    /* What comes out of damaged data before the damage shows is up to the pieces. */
    if (whole.code < 0 || pieces.code < 0)
        return 0;
    OT_FUZZ_CHECK(whole.len == pieces.len && whole.is_whole == pieces.is_whole);
    OT_FUZZ_CHECK(memcmp(whole.bytes, pieces.bytes, whole.len) == 0);
    return 0;
}
