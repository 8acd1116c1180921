#include "emit/pftrace/packet.h"

#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"

struct ot_pftrace *ot_pftrace_new(FILE *out, const struct ot_names *names)
{
    struct ot_pftrace *trace = calloc(1, sizeof(*trace));
    if (!trace)
        return NULL;
    trace->out = out;
    trace->names = names;
    return trace;
}

void ot_pftrace_fail(struct ot_pftrace *trace, int code)
{
    if (trace->fault == OT_OK) {
        trace->fault = code;
        trace->fault_errno = errno;
    }
    trace->len = 0;
}

static void write_out(struct ot_pftrace *trace)
{
    size_t len = trace->len;
    trace->len = 0;
    if (len && trace->fault == OT_OK && fwrite(trace->bytes, 1, len, trace->out) != len)
        ot_pftrace_fail(trace, OT_ERR_IO);
}

uint8_t *ot_pftrace_room(struct ot_pftrace *trace, size_t bytes)
{
    if (trace->len >= OT_PFTRACE_WRITE_BYTES)
        write_out(trace);
    if (trace->cap - trace->len >= bytes)
        return trace->bytes + trace->len;
    size_t need = trace->len + bytes;
    if (need < OT_PFTRACE_WRITE_BYTES + OT_PFTRACE_PACKET_BYTES)
        need = OT_PFTRACE_WRITE_BYTES + OT_PFTRACE_PACKET_BYTES;
    if (trace->fault == OT_OK && ot_vec_reserve(&trace->bytes, &trace->cap, need, 1))
        return trace->bytes + trace->len;
    ot_pftrace_fail(trace, OT_ERR_NOMEM);
    return NULL;
}

static void add_utf8(struct ot_str *str, struct ot_text text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    while (text.len) {
        uint32_t code_point;
        size_t n = ot_utf8_next(text, &code_point);
        /* Readers take a text to end at a NUL. */
        if (n == 1 && (code_point == OT_UTF8_REPLACEMENT || code_point == 0))
            ot_str_add(str, replacement, sizeof(replacement) - 1);
        else
            ot_str_add(str, text.bytes, n);
        text.bytes += n;
        text.len -= n;
    }
}

struct ot_text ot_pftrace_clean(struct ot_pftrace *trace, struct ot_text text)
{
    ot_str_clear(&trace->text);
    add_utf8(&trace->text, text);
    if (trace->text.failed)
        ot_pftrace_fail(trace, OT_ERR_NOMEM);
    return (struct ot_text){ot_str_borrow(&trace->text), trace->text.len};
}

static uint8_t *put_clock(uint8_t *at, uint32_t clock, int64_t ts_ns)
{
    uint8_t *start = at = ot_wire_begin(at, CLOCK_SNAPSHOT_CLOCKS);
    at = ot_wire_put_uint(at, CLOCK_CLOCK_ID, clock);
    at = ot_wire_put_int(at, CLOCK_TIMESTAMP, ts_ns);
    return ot_wire_end(start, at);
}

void ot_pftrace_put_clock(struct ot_pftrace *trace, int64_t base_ns, bool is_epoch)
{
    trace->base_ns = base_ns;
    uint8_t *at = ot_pftrace_room(trace, 2 * OT_PFTRACE_PACKET_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = ot_pftrace_begin(at);
    at = ot_pftrace_sequence(at, SEQ_INCREMENTAL_STATE_CLEARED);
    uint8_t *defaults = at = ot_wire_begin(at, TRACE_PACKET_TRACE_PACKET_DEFAULTS);
    at = ot_wire_put_uint(at, TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, SEQUENCE_CLOCK);
    at = ot_wire_end(defaults, at);
    uint8_t *snapshot = at = ot_wire_begin(at, TRACE_PACKET_CLOCK_SNAPSHOT);
    at = put_clock(at, BUILTIN_CLOCK_BOOTTIME, base_ns);
    at = put_clock(at, SEQUENCE_CLOCK, 0);
    if (is_epoch)
        at = put_clock(at, BUILTIN_CLOCK_REALTIME, base_ns);
    at = ot_wire_put_uint(at, CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, BUILTIN_CLOCK_BOOTTIME);
    at = ot_wire_end(snapshot, at);
    ot_pftrace_end(trace, packet, at);
}

int ot_pftrace_check(const struct ot_pftrace *trace, struct ot_err *err)
{
    if (trace->fault == OT_OK)
        return OT_OK;
    if (trace->fault == OT_ERR_NOMEM)
        return ot_err_set(err, trace->fault, "out of memory for a trace's packets");
    errno = trace->fault_errno;
    return ot_err_sys(err, trace->fault, "cannot write the output");
}

int ot_pftrace_finish(struct ot_pftrace *trace, struct ot_err *err)
{
    write_out(trace);
    if (trace->fault == OT_OK && fflush(trace->out) != 0)
        ot_pftrace_fail(trace, OT_ERR_IO);
    return ot_pftrace_check(trace, err);
}

void ot_pftrace_free(struct ot_pftrace *trace)
{
    if (!trace)
        return;
    free(trace->bytes);
    free(trace->seen);
    ot_str_release(&trace->text);
    free(trace);
}
