/* fuzz_kineto.c: any bytes as the JSON text of a trace.
 *
 * The first byte chooses: 1 recover, 2 want_text, 4 damaged packing, 8 no guesses; bits 4 and 5 the
 * instructions; 64 want_marks, 128 want_raw. The second one is how long the pieces are in which the
 * text comes. Whatever they are, the same must be read as by the plainest engine in one piece.
 */
#include "fuzz.h"

#include "../unit/kineto.h"

enum { RECOVER = 1, TEXT = 2, PACKED = 4, NO_GUESSES = 8, MARKS = 64, RAW = 128 };

/* A log may hold NULs. */
static const char *find(const struct ot_str *log, const char *text)
{
    return log->len ? memmem(log->bytes, log->len, text, strlen(text)) : NULL;
}

/* The number behind the first "byte " of an error is a place in the text. */
static void check_place(const struct ot_str *log, size_t len)
{
    const char *error = find(log, "error: ");
    const char *place = error ? strstr(error, "byte ") : NULL;
    if (place)
        OT_FUZZ_CHECK(strtoull(place + strlen("byte "), NULL, 10) <= len);
}

/* Without recovering, the same events come as with it, up to the first damage. */
static void check_prefix(const struct ot_str *recovered, const uint8_t *data, size_t len,
                         const struct ot_kineto_trace_opts *opts)
{
    struct ot_kineto_trace_opts strict = *opts;
    struct ot_str log = {0};
    strict.recover = false;
    int code = tell_trace(&log, data, len, len + 1, &strict);
    const char *end = code < 0 ? find(&log, "error: ") : NULL;
    size_t same_len = end ? (size_t)(end - log.bytes) : log.len;
    OT_FUZZ_CHECK(same_len <= recovered->len);
    if (same_len)
        OT_FUZZ_CHECK(memcmp(ot_str_borrow(&log), ot_str_borrow(recovered), same_len) == 0);
    ot_str_release(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 2)
        return 0;
    const struct ot_kineto_engine *engines[OT_KINETO_MAX_ENGINES + 1];
    ot_kineto_engines(engines);
    size_t engine = data[0] >> 4 & 3;
    while (engine && !(engine <= OT_KINETO_MAX_ENGINES && engines[engine]))
        engine--;
    struct ot_kineto_trace_opts opts = {
        .recover = data[0] & RECOVER,
        .want_text = data[0] & TEXT,
        .want_marks = data[0] & MARKS,
        .want_raw = data[0] & RAW,
        .is_packed = data[0] & PACKED,
        .engine = engines[engine],
        .learns_nothing = data[0] & NO_GUESSES,
    };
    size_t piece_len = (size_t)data[1] + 1;
    data += 2;
    len -= 2;

    struct ot_str log = {0};
    struct ot_str plainest = {0};
    int code = tell_trace(&log, data, len, piece_len, &opts);
    check_place(&log, len);
    struct ot_kineto_trace_opts plain = opts;
    plain.engine = &ot_kineto_scalar;
    plain.learns_nothing = true;
    OT_FUZZ_CHECK(tell_trace(&plainest, data, len, len + 1, &plain) == code);
    OT_FUZZ_CHECK(log.len == plainest.len);
    OT_FUZZ_CHECK(memcmp(ot_str_borrow(&log), ot_str_borrow(&plainest), log.len + 1) == 0);
    if (opts.recover) {
        check_prefix(&log, data, len, &opts);
        bool overflows = find(&log, "64 bits can count");
        bool is_foreign = find(&log, "Chrome trace of something else");
        /* With what stands beside the events in the log, this can't be seen in it. */
        bool has_events = find(&log, "error: ") != log.bytes && !opts.want_raw;
        OT_FUZZ_CHECK(code == OT_END || !has_events || overflows || is_foreign);
    }
    ot_str_release(&log);
    ot_str_release(&plainest);
    return 0;
}
