#include "emit/pftrace/pftrace.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "emit/pftrace/fields.h"
#include "emit/pftrace/wire.h"

enum {
    SEQUENCE_ID = 1,
    WRITE_BYTES = 1 << 20,
    /* What a packet takes beside its notes, flows and texts: some ten fields. */
    PACKET_BYTES = 16 * OT_WIRE_FIELD_BYTES,
    NOTE_BYTES = 3 * OT_WIRE_FIELD_BYTES
};

/* What is interned, each with numbers of its own; a bit of `seen`. */
enum interned { CATEGORY = 1, NAME = 2, NOTE_NAME = 4, NOTE_TEXT = 8 };

struct ot_pftrace {
    FILE *out;
    const struct ot_names *names;
    uint8_t *bytes; /* packets that are yet to be written */
    size_t len;
    size_t cap;
    int64_t base_ns;

    uint8_t *seen; /* by name: what it was interned as */
    size_t n_seen;
    size_t seen_cap;
    struct ot_str text;

    int fault; /* of enum ot_code */
    int fault_errno;
};

struct ot_pftrace *ot_pftrace_new(FILE *out, const struct ot_names *names)
{
    struct ot_pftrace *trace = calloc(1, sizeof(*trace));
    if (!trace)
        return NULL;
    trace->out = out;
    trace->names = names;
    return trace;
}

static void fail(struct ot_pftrace *trace, int code)
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
        fail(trace, OT_ERR_IO);
}

/* Room for so many bytes behind what is there; NULL when memory is out. */
static uint8_t *make_room(struct ot_pftrace *trace, size_t bytes)
{
    if (trace->len >= WRITE_BYTES)
        write_out(trace);
    if (trace->cap - trace->len >= bytes)
        return trace->bytes + trace->len;
    size_t need = trace->len + bytes;
    if (need < WRITE_BYTES + PACKET_BYTES)
        need = WRITE_BYTES + PACKET_BYTES;
    if (trace->fault == OT_OK && ot_vec_reserve(&trace->bytes, &trace->cap, need, 1))
        return trace->bytes + trace->len;
    fail(trace, OT_ERR_NOMEM);
    return NULL;
}

/* --- packets ------------------------------------------------------------------------------------
 */

static inline uint8_t *begin_packet(uint8_t *at)
{
    return ot_wire_begin(at, TRACE_PACKET);
}

/* What every packet has; those with a time of events need what was interned. */
static inline uint8_t *put_sequence(uint8_t *at, uint64_t flags)
{
    at = ot_wire_put_uint(at, TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE_ID);
    return ot_wire_put_uint(at, TRACE_PACKET_SEQUENCE_FLAGS, flags);
}

/* A time before the base is written on the trace's clock, at the cost of some bytes. */
static inline uint8_t *put_time(const struct ot_pftrace *trace, uint8_t *at, int64_t ts_ns)
{
    if (ts_ns >= trace->base_ns)
        return ot_wire_put_uint(at, TRACE_PACKET_TIMESTAMP,
                                (uint64_t)ts_ns - (uint64_t)trace->base_ns);
    at = ot_wire_put_uint(at, TRACE_PACKET_TIMESTAMP, ts_ns > 0 ? (uint64_t)ts_ns : 0);
    return ot_wire_put_uint(at, TRACE_PACKET_TIMESTAMP_CLOCK_ID, BUILTIN_CLOCK_BOOTTIME);
}

static inline void end_packet(struct ot_pftrace *trace, uint8_t *start, uint8_t *at)
{
    trace->len = (size_t)(ot_wire_end(start, at) - trace->bytes);
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
    uint8_t *at = make_room(trace, 2 * PACKET_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = begin_packet(at);
    at = put_sequence(at, SEQ_INCREMENTAL_STATE_CLEARED);
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
    end_packet(trace, packet, at);
}

/* --- what is interned ---------------------------------------------------------------------------
 */

static inline bool is_new(const struct ot_pftrace *trace, uint32_t id, enum interned kind)
{
    return id != OT_PFTRACE_NO_NAME && (id >= trace->n_seen || !(trace->seen[id] & kind));
}

static bool has_new(const struct ot_pftrace *trace, const struct ot_pftrace_event *event)
{
    if (is_new(trace, event->name, NAME) || is_new(trace, event->category, CATEGORY))
        return true;
    for (size_t i = 0; i < event->n_notes; i++) {
        const struct ot_pftrace_note *note = &event->notes[i];
        if (is_new(trace, note->name, NOTE_NAME) ||
            (note->kind == OT_PFTRACE_TEXT && is_new(trace, (uint32_t)note->value, NOTE_TEXT)))
            return true;
    }
    return false;
}

static bool mark_seen(struct ot_pftrace *trace, uint32_t id, enum interned kind)
{
    size_t need = (size_t)id + 1;
    if (need > trace->n_seen) {
        if (!ot_vec_reserve(&trace->seen, &trace->seen_cap, need, 1))
            return false;
        memset(trace->seen + trace->n_seen, 0, need - trace->n_seen);
        trace->n_seen = need;
    }
    trace->seen[id] |= (uint8_t)kind;
    return true;
}

static void add_utf8(struct ot_str *str, struct ot_text text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    while (text.len) {
        uint32_t code_point;
        size_t n = ot_utf8_next(text, &code_point);
        if (n == 1 && code_point == OT_UTF8_REPLACEMENT)
            ot_str_add(str, replacement, sizeof(replacement) - 1);
        else
            ot_str_add(str, text.bytes, n);
        text.bytes += n;
        text.len -= n;
    }
}

/* As UTF-8, which the format asks for and a trace's names need not be. */
static struct ot_text clean_text(struct ot_pftrace *trace, struct ot_text text)
{
    ot_str_clear(&trace->text);
    add_utf8(&trace->text, text);
    if (trace->text.failed)
        fail(trace, OT_ERR_NOMEM);
    return (struct ot_text){ot_str_borrow(&trace->text), trace->text.len};
}

static uint32_t field_of(enum interned kind)
{
    static const uint32_t fields[] = {
        [CATEGORY] = INTERNED_DATA_EVENT_CATEGORIES,
        [NAME] = INTERNED_DATA_EVENT_NAMES,
        [NOTE_NAME] = INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
        [NOTE_TEXT] = INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES,
    };
    return fields[kind];
}

/* In a packet of its own, since how long a text may be nobody knows. */
static void intern(struct ot_pftrace *trace, uint32_t id, enum interned kind)
{
    if (!is_new(trace, id, kind))
        return;
    if (!mark_seen(trace, id, kind)) {
        fail(trace, OT_ERR_NOMEM);
        return;
    }
    struct ot_text text = clean_text(trace, ot_names_text(trace->names, id));
    uint8_t *at = make_room(trace, PACKET_BYTES + text.len);
    if (!at)
        return;
    uint8_t *packet = at = begin_packet(at);
    at = put_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *data = at = ot_wire_begin(at, TRACE_PACKET_INTERNED_DATA);
    uint8_t *item = at = ot_wire_begin(at, field_of(kind));
    at = ot_wire_put_uint(at, INTERNED_IID, (uint64_t)id + 1);
    at = ot_wire_put_text(at, INTERNED_TEXT, text);
    at = ot_wire_end(item, at);
    at = ot_wire_end(data, at);
    end_packet(trace, packet, at);
}

static void intern_all(struct ot_pftrace *trace, const struct ot_pftrace_event *event)
{
    intern(trace, event->name, NAME);
    intern(trace, event->category, CATEGORY);
    for (size_t i = 0; i < event->n_notes; i++) {
        intern(trace, event->notes[i].name, NOTE_NAME);
        if (event->notes[i].kind == OT_PFTRACE_TEXT)
            intern(trace, (uint32_t)event->notes[i].value, NOTE_TEXT);
    }
}

/* --- events -------------------------------------------------------------------------------------
 */

static uint8_t *put_note(uint8_t *at, const struct ot_pftrace_note *note)
{
    static const uint32_t fields[] = {
        [OT_PFTRACE_TEXT] = DEBUG_ANNOTATION_STRING_VALUE_IID,
        [OT_PFTRACE_INT] = DEBUG_ANNOTATION_INT_VALUE,
        [OT_PFTRACE_UINT] = DEBUG_ANNOTATION_UINT_VALUE,
    };
    uint64_t value = note->kind == OT_PFTRACE_TEXT ? note->value + 1 : note->value;
    uint8_t *start = at = ot_wire_begin(at, TRACK_EVENT_DEBUG_ANNOTATIONS);
    at = ot_wire_put_uint(at, DEBUG_ANNOTATION_NAME_IID, (uint64_t)note->name + 1);
    at = ot_wire_put_uint(at, fields[note->kind], value);
    return ot_wire_end(start, at);
}

static const uint8_t event_types[] = {
    [OT_PFTRACE_BEGIN] = TYPE_SLICE_BEGIN,
    [OT_PFTRACE_END] = TYPE_SLICE_END,
    [OT_PFTRACE_INSTANT] = TYPE_INSTANT,
};

void ot_pftrace_put_event(struct ot_pftrace *trace, const struct ot_pftrace_event *event)
{
    if (has_new(trace, event))
        intern_all(trace, event);
    uint8_t *at = make_room(trace, PACKET_BYTES + event->n_notes * NOTE_BYTES +
                                       event->n_flows * OT_WIRE_FIELD_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = begin_packet(at);
    at = put_time(trace, at, event->ts_ns);
    at = put_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_EVENT);
    at = ot_wire_put_uint(at, TRACK_EVENT_TYPE, event_types[event->kind]);
    at = ot_wire_put_uint(at, TRACK_EVENT_TRACK_UUID, event->track);
    if (event->name != OT_PFTRACE_NO_NAME)
        at = ot_wire_put_uint(at, TRACK_EVENT_NAME_IID, (uint64_t)event->name + 1);
    if (event->category != OT_PFTRACE_NO_NAME)
        at = ot_wire_put_uint(at, TRACK_EVENT_CATEGORY_IIDS, (uint64_t)event->category + 1);
    for (size_t i = 0; i < event->n_notes; i++)
        at = put_note(at, &event->notes[i]);
    for (size_t i = 0; i < event->n_flows; i++)
        at = ot_wire_put_fixed64(at, TRACK_EVENT_FLOW_IDS, event->flows[i]);
    at = ot_wire_end(body, at);
    end_packet(trace, packet, at);
}

void ot_pftrace_put_counter(struct ot_pftrace *trace, uint64_t track, int64_t ts_ns, int64_t value)
{
    uint8_t *at = make_room(trace, PACKET_BYTES);
    if (!at)
        return;
    uint8_t *packet = at = begin_packet(at);
    at = put_time(trace, at, ts_ns);
    at = put_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_EVENT);
    at = ot_wire_put_uint(at, TRACK_EVENT_TYPE, TYPE_COUNTER);
    at = ot_wire_put_uint(at, TRACK_EVENT_TRACK_UUID, track);
    at = ot_wire_put_int(at, TRACK_EVENT_COUNTER_VALUE, value);
    at = ot_wire_end(body, at);
    end_packet(trace, packet, at);
}

/* --- tracks -------------------------------------------------------------------------------------
 */

static uint8_t *put_nothing(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    (void)track;
    (void)name;
    return at;
}

static uint8_t *put_process(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    uint8_t *start = at = ot_wire_begin(at, TRACK_DESCRIPTOR_PROCESS);
    at = ot_wire_put_int(at, PROCESS_DESCRIPTOR_PID, track->pid);
    if (track->has_order)
        at = ot_wire_put_int(at, PROCESS_DESCRIPTOR_LEGACY_SORT_INDEX, track->order);
    if (name.len)
        at = ot_wire_put_text(at, PROCESS_DESCRIPTOR_PROCESS_NAME, name);
    return ot_wire_end(start, at);
}

static uint8_t *put_thread(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    uint8_t *start = at = ot_wire_begin(at, TRACK_DESCRIPTOR_THREAD);
    at = ot_wire_put_int(at, THREAD_DESCRIPTOR_PID, track->pid);
    at = ot_wire_put_int(at, THREAD_DESCRIPTOR_TID, track->tid);
    if (track->has_order)
        at = ot_wire_put_int(at, THREAD_DESCRIPTOR_LEGACY_SORT_INDEX, track->order);
    if (name.len)
        at = ot_wire_put_text(at, THREAD_DESCRIPTOR_THREAD_NAME, name);
    return ot_wire_end(start, at);
}

static uint8_t *put_counter(uint8_t *at, const struct ot_pftrace_track *track, struct ot_text name)
{
    (void)track;
    (void)name;
    uint8_t *start = at = ot_wire_begin(at, TRACK_DESCRIPTOR_COUNTER);
    at = ot_wire_put_uint(at, COUNTER_DESCRIPTOR_UNIT, UNIT_SIZE_BYTES);
    return ot_wire_end(start, at);
}

static uint8_t *(*const put_kinds[])(uint8_t *at, const struct ot_pftrace_track *track,
                                     struct ot_text name) = {
    [OT_PFTRACE_TRACK] = put_nothing,
    [OT_PFTRACE_PROCESS] = put_process,
    [OT_PFTRACE_THREAD] = put_thread,
    [OT_PFTRACE_COUNTER] = put_counter,
};

/* Rows that happen to have the same name are different rows all the same, and children keep the
 * order that they ask for. */
void ot_pftrace_put_track(struct ot_pftrace *trace, const struct ot_pftrace_track *track)
{
    struct ot_text name = clean_text(trace, track->name);
    uint8_t *at = make_room(trace, PACKET_BYTES + 2 * name.len);
    if (!at)
        return;
    uint8_t *packet = at = begin_packet(at);
    at = put_sequence(at, SEQ_NEEDS_INCREMENTAL_STATE);
    uint8_t *body = at = ot_wire_begin(at, TRACE_PACKET_TRACK_DESCRIPTOR);
    at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_UUID, track->uuid);
    if (track->parent)
        at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_PARENT_UUID, track->parent);
    if (name.len)
        at = ot_wire_put_text(at, TRACK_DESCRIPTOR_NAME, name);
    at = put_kinds[track->kind](at, track, name);
    at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
    if (track->has_order)
        at = ot_wire_put_int(at, TRACK_DESCRIPTOR_SIBLING_ORDER_RANK, track->order);
    at = ot_wire_put_uint(at, TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, SIBLING_MERGE_BEHAVIOR_NONE);
    at = ot_wire_end(body, at);
    end_packet(trace, packet, at);
}

/* --- the end ------------------------------------------------------------------------------------
 */

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
        fail(trace, OT_ERR_IO);
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
