#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "ingest/bytes/unpack.h"

/* What `zstd -d` takes without being asked; a file decides how much of it is needed. Up to level 19
 * it is 8 MiB at most. */
enum { WINDOW_LOG_MAX = 27 };

struct ot_unpacker {
    ZSTD_DCtx *context;
    bool is_within; /* a frame has begun and not ended */
};

/* RFC 8878, sections 3.1.1 and 3.1.2: a frame, or one to be skipped, as seekable files have. */
static bool recognise(const unsigned char *start, size_t len)
{
    if (len < 4)
        return false;
    uint32_t magic =
        start[0] | (uint32_t)start[1] << 8 | (uint32_t)start[2] << 16 | (uint32_t)start[3] << 24;
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void close_zstd(struct ot_unpacker *zstd)
{
    if (!zstd)
        return;
    ZSTD_freeDCtx(zstd->context);
    free(zstd);
}

static struct ot_unpacker *open_zstd(void)
{
    struct ot_unpacker *zstd = calloc(1, sizeof(*zstd));
    if (!zstd)
        return NULL;
    zstd->context = ZSTD_createDCtx();
    if (zstd->context &&
        !ZSTD_isError(ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        return zstd;
    close_zstd(zstd);
    return NULL;
}

static int explain(size_t result, const char **ret_fault)
{
    static const struct {
        ZSTD_ErrorCode error;
        int code;
        const char *fault;
    } faults[] = {
        {ZSTD_error_memory_allocation, OT_ERR_NOMEM, "needs more memory than there is"},
        {ZSTD_error_frameParameter_windowTooLarge, OT_ERR_INPUT,
         "needs more than 128 MiB of memory to unpack"},
        {ZSTD_error_dictionary_wrong, OT_ERR_INPUT, "was packed with a dictionary"},
    };
    ZSTD_ErrorCode error = ZSTD_getErrorCode(result);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (faults[i].error == error) {
            *ret_fault = faults[i].fault;
            return faults[i].code;
        }
    }
    *ret_fault = "is damaged";
    return OT_ERR_INPUT;
}

static int step(struct ot_unpacker *zstd, struct ot_unpack_span *span, const char **ret_fault)
{
    ZSTD_inBuffer in = {.src = span->in, .size = span->in_len};
    ZSTD_outBuffer out = {.dst = span->out, .size = span->out_len};
    size_t result = ZSTD_decompressStream(zstd->context, &out, &in);
    span->in += in.pos;
    span->in_len -= in.pos;
    span->out += out.pos;
    span->out_len -= out.pos;
    if (ZSTD_isError(result))
        return explain(result, ret_fault);
    /* A call without any input between two frames asks for the next one's header; that is no
     * frame yet. */
    if (in.pos > 0 || out.pos > 0)
        zstd->is_within = result != 0;
    return OT_OK;
}

static bool is_whole(const struct ot_unpacker *zstd)
{
    return !zstd->is_within;
}

const struct ot_unpack_class ot_unpack_zstd = {
    .packing = OT_PACKING_ZSTD,
    .name = "zstd",
    .recognise = recognise,
    .open = open_zstd,
    .step = step,
    .is_whole = is_whole,
    .close = close_zstd,
};
