/* kineto.h: a trace that lies in memory, fed in pieces of any size, and what is read of it as text.
 *
 * Needs no test framework, so that the fuzz target uses it, too.
 */
#ifndef OT_TESTS_UNIT_KINETO_H
#define OT_TESTS_UNIT_KINETO_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ingest/bytes/source.h"
#include "ingest/kineto/trace.h"
#include "model/backend.h"

/* --- where the bytes come from -------------------------------------------------------------- */

struct pieces {
    const unsigned char *bytes;
    size_t len;
    size_t piece_len; /* not 0 */
    int end_code;     /* what is said after the last piece: OT_END, or an error */
    unsigned char *block;
};

/* A piece with room before it and zeros behind it, at the very end of its block of memory. */
static inline int next_piece(void *source, unsigned char **ret_bytes, size_t *ret_len,
                             struct ot_err *err)
{
    struct pieces *pieces = source;
    size_t len = pieces->len < pieces->piece_len ? pieces->len : pieces->piece_len;
    if (len == 0)
        return pieces->end_code == OT_END
                   ? OT_END
                   : ot_err_set(err, pieces->end_code, "the packed data is damaged");
    size_t block_len = OT_SOURCE_HEADROOM + pieces->piece_len + OT_SOURCE_PADDING;
    if (!pieces->block)
        pieces->block = malloc(block_len);
    if (!pieces->block)
        abort();
    unsigned char *at = pieces->block + block_len - OT_SOURCE_PADDING - len;
    memset(pieces->block, 'x', OT_SOURCE_HEADROOM < 256 ? OT_SOURCE_HEADROOM : 256);
    memcpy(at, pieces->bytes, len);
    memset(at + len, 0, OT_SOURCE_PADDING);
    pieces->bytes += len;
    pieces->len -= len;
    *ret_bytes = at;
    *ret_len = len;
    return OT_OK;
}

/* --- what is read --------------------------------------------------------------------------- */

static inline void tell_text(struct ot_str *log, const char *what, struct ot_text text)
{
    if (!text.len)
        return;
    ot_str_addf(log, " %s ", what);
    ot_str_add_text(log, text);
}

static inline void tell_number(struct ot_str *log, const char *what, bool has, int64_t number)
{
    if (has)
        ot_str_addf(log, " %s %" PRId64, what, number);
}

static inline void tell_args(struct ot_str *log, const struct ot_event_args *args)
{
    tell_text(log, "cat", args->category);
    tell_text(log, "process", args->process_label);
    tell_text(log, "thread", args->thread_label);
    tell_text(log, "phase", args->phase);
    tell_text(log, "device_label", args->device_label);
    tell_text(log, "shapes", args->shapes);
    tell_text(log, "types", args->types);
    if (args->has_correlation)
        ot_str_addf(log, " correlation %" PRIu64, args->correlation);
    tell_number(log, "device", args->has_device, args->device);
    tell_number(log, "sequence", args->has_sequence, args->sequence);
    tell_number(log, "forward", args->forward_thread != 0, args->forward_thread);
    tell_number(log, "device_type", args->has_device_type, args->device_type);
    tell_number(log, "device_id", args->has_device_id, args->device_id);
    tell_number(log, "total", args->has_total_allocated, args->total_allocated);
    if (args->has_call_stack)
        ot_str_addf(log, " stack");
}

static inline void tell_mark(struct ot_str *log, const struct ot_event *event)
{
    static const char *const labels[] = {[OT_LABEL_PROCESS] = "process name",
                                         [OT_LABEL_PROCESS_NOTE] = "process note",
                                         [OT_LABEL_THREAD] = "thread name",
                                         [OT_LABEL_PROCESS_ORDER] = "process order",
                                         [OT_LABEL_THREAD_ORDER] = "thread order"};
    const struct ot_event_args *args = event->args;
    bool is_order =
        args->label_kind == OT_LABEL_PROCESS_ORDER || args->label_kind == OT_LABEL_THREAD_ORDER;
    if (event->kind == OT_EVENT_FLOW)
        ot_str_addf(log, " %s %" PRIu64, args->is_flow_start ? "starts" : "ends", args->flow);
    else if (is_order)
        ot_str_addf(log, " %s %" PRId64, labels[args->label_kind], args->order);
    else
        tell_text(log, labels[args->label_kind], args->label);
}

/* `op 1000+500 1/2 aten::abs cat cpu_op`, `memory 5000 1/2 512 bytes`, `other 7000`. */
static inline void tell_event(struct ot_str *log, const struct ot_event *event)
{
    if (event->kind == OT_EVENT_SLICE)
        ot_str_addf(log, "%s %" PRId64 "+%" PRId64, ot_backends[event->backend].kind, event->ts_ns,
                    event->dur_ns);
    else
        ot_str_addf(log, "%s %" PRId64,
                    event->kind == OT_EVENT_MEMORY   ? "memory"
                    : event->kind == OT_EVENT_LABEL  ? "label"
                    : event->kind == OT_EVENT_FLOW   ? "flow"
                    : event->kind == OT_EVENT_MEMBER ? "member"
                                                     : "other",
                    event->ts_ns);
    if (event->args)
        ot_str_addf(log, " %" PRId64 "/%" PRIu64, event->vpid, event->vtid);
    if (event->kind == OT_EVENT_SLICE) {
        ot_str_addf(log, " ");
        ot_str_add_text(log, event->name);
    }
    if (event->kind == OT_EVENT_MEMORY)
        ot_str_addf(log, " %" PRId64 " bytes", event->args->bytes);
    if (event->kind == OT_EVENT_LABEL || event->kind == OT_EVENT_FLOW)
        tell_mark(log, event);
    if (event->args)
        tell_args(log, event->args);
    tell_text(log, "=", event->raw);
    tell_text(log, "|", event->event_name);
    tell_text(log, "|", event->payload);
    ot_str_addf(log, "\n");
}

static inline void tell_count(struct ot_str *log, const char *what, uint64_t n)
{
    if (n)
        ot_str_addf(log, "%s %" PRIu64 "\n", what, n);
}

static inline void tell_session(struct ot_str *log, const struct ot_session *session)
{
    if (session->has_base)
        ot_str_addf(log, "base %" PRId64 "\n", session->base_ns);
    if (session->has_rank)
        ot_str_addf(log, "rank %" PRId64 "\n", session->rank);
    if (session->has_world_size)
        ot_str_addf(log, "world %" PRId64 "\n", session->world_size);
    if (session->host.len) {
        ot_str_addf(log, "host ");
        ot_str_add_text(log, session->host);
        ot_str_addf(log, "\n");
    }
    if (session->devices.len) {
        ot_str_addf(log, "devices ");
        ot_str_add_text(log, session->devices);
        ot_str_addf(log, "\n");
    }
}

static inline void tell_whole(struct ot_str *log, const struct ot_kineto_trace *trace)
{
    const struct ot_counts *counts = ot_kineto_trace_counts(trace);
    tell_session(log, ot_kineto_trace_session(trace));
    tell_count(log, "excluded", counts->excluded_events);
    tell_count(log, "unmatched", counts->unmatched_exits);
    tell_count(log, "unclosed", counts->unclosed_entries);
    tell_count(log, "lost", counts->lost_entries);
    tell_count(log, "damaged", counts->damaged_events);
    tell_count(log, "truncated", counts->truncated_inputs);
    for (int i = 0; i < OT_WARNING_COUNT; i++) {
        const struct ot_warning_count *of = &ot_kineto_trace_warnings(trace)->of[i];
        if (of->n)
            ot_str_addf(log, "warning %s %" PRIu64 " %s\n", ot_warning_classes[i].code, of->n,
                        of->first);
    }
}

/* Reads all of it. The log ends with what is known of the whole, or with `error: ...`. */
static inline int tell_trace(struct ot_str *log, const void *bytes, size_t len, size_t piece_len,
                             const struct ot_kineto_trace_opts *opts)
{
    struct pieces pieces = {bytes, len, piece_len, opts->is_packed ? OT_ERR_INPUT : OT_END, NULL};
    struct ot_kineto_chunks chunks = {next_piece, &pieces};
    struct ot_kineto_trace *trace = ot_kineto_trace_new(&chunks, opts);
    if (!trace)
        abort();
    struct ot_event event;
    struct ot_err err;
    int code;
    while ((code = ot_kineto_trace_next(trace, &event, &err)) == OT_OK)
        tell_event(log, &event);
    if (code == OT_END)
        tell_whole(log, trace);
    else
        ot_str_addf(log, "error: %s\n", err.msg);
    ot_kineto_trace_free(trace);
    free(pieces.block);
    return code;
}

#endif
