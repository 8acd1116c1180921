/* segments.h: the text between two values, learned from earlier events.
 *
 * A profiler writes the same keys in the same order again and again. Between two values that
 * change lies a *segment*: `, "pid": `, or even `,\n  {\n    "ph": "X", "cat": "cpu_op", "name":
 * "`, because the values of ph and cat are few and count as a part of it. A segment is learned from
 * the parser proper: from a state of the grammar, these bytes lead to that state and that field.
 * Where a segment's bytes are seen again in the state that it starts from, the parser would go the
 * same way again; so a wrong guess costs time, and never correctness.
 *
 * Segments make a tree: the same text behind another one is another segment, so that each remembers
 * what comes next in its kind of event. Only those that begin an event are the same behind all that
 * end one. Their number has a limit; when it is reached, all are forgotten.
 */
#ifndef OT_INGEST_KINETO_SEGMENTS_H
#define OT_INGEST_KINETO_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ot_kineto_category;

/* Where in the grammar of a list of events: what has just been read. */
enum ot_kineto_state {
    OT_STATE_LIST_OPEN,
    OT_STATE_LIST_COMMA,
    OT_STATE_LIST_VALUE, /* an event */
    OT_STATE_EVENT_OPEN,
    OT_STATE_EVENT_COMMA,
    OT_STATE_EVENT_VALUE,
    OT_STATE_ARGS_OPEN,
    OT_STATE_ARGS_COMMA,
    OT_STATE_ARGS_VALUE,
    OT_STATE_COUNT
};

enum { OT_HOP_MAX_FIXED = 2 };

/* From behind one value to the start of the next, or to the end of the event. */
struct ot_kineto_hop {
    uint32_t len;
    uint32_t event_at; /* where the event's brace is, if the hop has it */
    uint32_t bits;     /* fields that get a value, the last one included */
    uint32_t clear;    /* fields that lose theirs: "args" begins anew */
    uint8_t to;        /* of enum ot_kineto_state */
    uint8_t field;     /* of the value behind the hop */
    bool is_string;    /* and its opening quote is the hop's last byte */
    bool is_end;       /* no value: the event has ended */
    bool opens_event;
    bool repeats; /* a key occurs twice within the hop */
    uint8_t n_fixed;
    struct ot_kineto_fixed {
        uint32_t at;
        uint16_t len;
        uint8_t field;
    } fixed[OT_HOP_MAX_FIXED]; /* values that are a part of it: strings without a catch */
    const struct ot_kineto_category *category; /* of the value of cat among them */
};

enum { OT_SEGMENT_BYTES = 64, OT_SEGMENTS_MAX = 1024, OT_SEGMENT_NEXT = 4 };

/* 128 bytes, the text in one cache line. */
struct ot_kineto_segment {
    _Alignas(OT_SEGMENT_BYTES) unsigned char bytes[OT_SEGMENT_BYTES];
    struct ot_kineto_hop hop;
    uint16_t next[OT_SEGMENT_NEXT]; /* what came after it, the latest first; 0: none */
};

/* The first OT_STATE_COUNT segments have no bytes: they stand for being in a state and not knowing
 * how that came. */
struct ot_kineto_segments {
    struct ot_kineto_segment of[OT_SEGMENTS_MAX];
    size_t n;
    uint16_t newest[OT_SEGMENTS_MAX]; /* of those behind it, and for each one the next older */
    uint16_t older[OT_SEGMENTS_MAX];
};

void ot_kineto_segments_init(struct ot_kineto_segments *segments);

/* Between two events: forgets all if no more can be learned. Returns what stands for `segment` from
 * then on. */
size_t ot_kineto_segments_renew(struct ot_kineto_segments *segments, size_t segment);

/* Adds what was seen after segment `after`, `hop->len` bytes at `bytes`, unless it is known or
 * cannot be kept. Returns its index, or that of the nameless segment of the state that it leads
 * to. */
size_t ot_kineto_segments_learn(struct ot_kineto_segments *segments, size_t after,
                                const struct ot_kineto_hop *hop, const unsigned char *bytes);

/* `next` was right after `after`, but was not the first guess. */
void ot_kineto_segments_prefer(struct ot_kineto_segments *segments, size_t after, size_t next);

#endif
