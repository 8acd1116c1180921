/* fuzz_mend.c: any bytes as the JSON text of a trace, and its mended copy.
 *
 * What is whole in it is copied, and the copy has to be a whole trace: read strictly, it has as
 * many events, nothing in it is damaged or replaced any more, and mending it again changes nothing.
 * The first byte is how long the pieces are in which the text comes.
 */
#include "fuzz.h"

#include <stdio.h>

#include "../unit/kineto.h"
#include "emit/chrome/writer.h"

struct copy {
    char *text;
    size_t len;
    int code;
    uint64_t n_events;
    uint64_t n_replaced;
    uint64_t n_warned; /* of what was no text */
};

static int copy_events(struct ot_kineto_trace *trace, struct ot_chrome_writer *writer)
{
    struct ot_event event;
    struct ot_err err;
    int code;
    while ((code = ot_kineto_trace_next(trace, &event, &err)) == OT_OK) {
        if (event.kind == OT_EVENT_MEMBER)
            OT_FUZZ_CHECK(ot_chrome_add_member(writer, event.raw, &err) == OT_OK);
        else
            ot_chrome_add_event(writer, event.raw);
    }
    return code;
}

static struct copy make_copy(const void *bytes, size_t len, size_t piece_len, bool recover)
{
    struct copy copy = {0};
    struct pieces pieces = {bytes, len, piece_len, OT_END, NULL};
    struct ot_kineto_chunks chunks = {next_piece, &pieces};
    const struct ot_kineto_trace_opts opts = {.want_raw = true, .recover = recover};
    struct ot_kineto_trace *trace = ot_kineto_trace_new(&chunks, &opts);
    struct ot_chrome_writer writer = {.out = open_memstream(&copy.text, &copy.len)};
    if (!trace || !writer.out)
        abort();
    copy.code = copy_events(trace, &writer);
    ot_chrome_finish(&writer);
    fclose(writer.out);
    copy.n_events = writer.n_events;
    copy.n_replaced = writer.n_replaced;
    copy.n_warned = ot_kineto_trace_warnings(trace)->of[OT_WARN_REPLACED_CHARACTERS].n;
    ot_chrome_release(&writer);
    ot_kineto_trace_free(trace);
    free(pieces.block);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 1)
        return 0;
    struct copy first = make_copy(data + 1, len - 1, (size_t)data[0] + 1, true);
    if (first.code == OT_END) {
        struct copy second = make_copy(first.text, first.len, first.len + 1, false);
        OT_FUZZ_CHECK(second.code == OT_END);
        OT_FUZZ_CHECK(second.n_events == first.n_events);
        OT_FUZZ_CHECK(second.n_replaced == 0);
        OT_FUZZ_CHECK(second.n_warned == 0);
        OT_FUZZ_CHECK(second.len == first.len);
        OT_FUZZ_CHECK(memcmp(second.text, first.text, first.len) == 0);
        free(second.text);
    }
    free(first.text);
    return 0;
}
