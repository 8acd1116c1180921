#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "ingest/bytes/unpack.h"

enum { ID1 = 0x1f, ID2 = 0x8b }; /* RFC 1952, section 2.3.1 */

enum phase { PHASE_HEADER, PHASE_BODY, PHASE_BETWEEN, PHASE_PADDING };

struct ot_unpacker {
    enum phase phase;
    /* Kept across pieces: isal_inflate() could read the header itself, but forgets its flags (seen
     * in ISA-L 2.30) when a piece ends within it. */
    struct isal_gzip_header header;
    struct inflate_state state;
};

static bool recognise(const unsigned char *start, size_t len)
{
    return len >= 2 && start[0] == ID1 && start[1] == ID2;
}

static void begin_member(struct ot_unpacker *gzip)
{
    isal_gzip_header_init(&gzip->header);
    isal_inflate_reset(&gzip->state);
    gzip->state.crc_flag = ISAL_GZIP_NO_HDR_VER; /* check sum and length are verified */
    gzip->phase = PHASE_HEADER;
}

static struct ot_unpacker *open_gzip(void)
{
    struct ot_unpacker *gzip = calloc(1, sizeof(*gzip));
    if (!gzip)
        return NULL;
    isal_inflate_init(&gzip->state);
    begin_member(gzip);
    return gzip;
}

/* Each phase's function returns what is wrong, or NULL. */

static const char *read_header(struct ot_unpacker *gzip)
{
    int code = isal_read_gzip_header(&gzip->state, &gzip->header);
    if (code == ISAL_DECOMP_OK)
        gzip->phase = PHASE_BODY;
    return code < 0 ? "is damaged" : NULL;
}

static const char *read_body(struct ot_unpacker *gzip)
{
    if (isal_inflate(&gzip->state) < 0)
        return "is damaged";
    if (gzip->state.block_state == ISAL_BLOCK_FINISH)
        gzip->phase = PHASE_BETWEEN;
    return NULL;
}

/* Behind a member: another one, or zeros up to the end, as tapes and block devices leave them. */
static const char *look_behind(struct ot_unpacker *gzip)
{
    if (gzip->state.avail_in == 0)
        return NULL;
    if (*gzip->state.next_in == ID1)
        begin_member(gzip);
    else
        gzip->phase = PHASE_PADDING;
    return NULL;
}

static const char *skip_padding(struct ot_unpacker *gzip)
{
    struct inflate_state *state = &gzip->state;
    while (state->avail_in > 0 && *state->next_in == 0) {
        state->next_in++;
        state->avail_in--;
    }
    return state->avail_in > 0 ? "is followed by something else" : NULL;
}

static int step(struct ot_unpacker *gzip, struct ot_unpack_span *span, const char **ret_fault)
{
    static const char *(*const phases[])(struct ot_unpacker *) = {
        [PHASE_HEADER] = read_header,
        [PHASE_BODY] = read_body,
        [PHASE_BETWEEN] = look_behind,
        [PHASE_PADDING] = skip_padding,
    };
    struct inflate_state *state = &gzip->state;
    uint32_t in_len = span->in_len < INT32_MAX ? (uint32_t)span->in_len : INT32_MAX;
    uint32_t out_len = span->out_len < UINT32_MAX ? (uint32_t)span->out_len : UINT32_MAX;
    state->next_in = span->in;
    state->avail_in = in_len;
    state->next_out = span->out;
    state->avail_out = out_len;
    const char *fault = NULL;
    enum phase before;
    do {
        before = gzip->phase;
        fault = phases[before](gzip);
    } while (!fault && gzip->phase != before);
    /* ISA-L 2.30 gives back what it read ahead, and on damaged data takes more than there is: the
     * difference is signed. */
    int32_t taken = (int32_t)(in_len - state->avail_in);
    if (taken > (int32_t)in_len)
        taken = (int32_t)in_len;
    span->in += taken;
    span->in_len -= (size_t)(ptrdiff_t)taken;
    span->out = state->next_out;
    span->out_len -= out_len - state->avail_out;
    if (!fault)
        return OT_OK;
    *ret_fault = fault;
    return OT_ERR_INPUT;
}

static bool is_whole(const struct ot_unpacker *gzip)
{
    return gzip->phase == PHASE_BETWEEN || gzip->phase == PHASE_PADDING;
}

static void close_gzip(struct ot_unpacker *gzip)
{
    free(gzip);
}

const struct ot_unpack_class ot_unpack_gzip = {
    .packing = OT_PACKING_GZIP,
    .name = "gzip",
    .recognise = recognise,
    .open = open_gzip,
    .step = step,
    .is_whole = is_whole,
    .close = close_gzip,
};
