#include "ingest/kineto/segments.h"

#include <string.h>

void ot_kineto_segments_init(struct ot_kineto_segments *segments)
{
    memset(segments->of_state, 0, sizeof(segments->of_state));
    memset(segments->of, 0, OT_STATE_COUNT * sizeof(segments->of[0]));
    for (uint8_t i = 0; i < OT_STATE_COUNT; i++)
        segments->of[i].hop.to = i;
    segments->n = OT_STATE_COUNT;
}

void ot_kineto_segments_prefer(struct ot_kineto_segments *segments, size_t after, size_t next)
{
    uint16_t *order = segments->of[after].next;
    size_t i = 0;
    while (i < OT_SEGMENT_NEXT - 1 && order[i] != next)
        i++;
    memmove(order + 1, order, i * sizeof(order[0]));
    order[0] = (uint16_t)next;
}

static size_t find(const struct ot_kineto_segments *segments, uint8_t from,
                   const unsigned char *bytes, size_t len)
{
    size_t i = segments->of_state[from];
    while (i && (segments->of[i].hop.len != len || memcmp(segments->of[i].bytes, bytes, len) != 0))
        i = segments->older[i];
    return i;
}

static size_t add(struct ot_kineto_segments *segments, uint8_t from,
                  const struct ot_kineto_hop *hop, const unsigned char *bytes)
{
    size_t i = segments->n++;
    struct ot_kineto_segment *segment = &segments->of[i];
    *segment = (struct ot_kineto_segment){.hop = *hop, .from = from};
    memcpy(segment->bytes, bytes, hop->len);
    segments->older[i] = segments->of_state[from];
    segments->of_state[from] = (uint16_t)i;
    return i;
}

size_t ot_kineto_segments_learn(struct ot_kineto_segments *segments, size_t after,
                                const struct ot_kineto_hop *hop, const unsigned char *bytes)
{
    /* A NUL would compare equal to the padding behind the window. */
    if (hop->len > OT_SEGMENT_BYTES || hop->len == 0 || hop->repeats ||
        memchr(bytes, '\0', hop->len))
        return hop->to;
    uint8_t from = segments->of[after].hop.to;
    size_t i = find(segments, from, bytes, hop->len);
    if (!i && segments->n == OT_SEGMENTS_MAX) {
        ot_kineto_segments_init(segments);
        after = from;
    }
    if (!i)
        i = add(segments, from, hop, bytes);
    ot_kineto_segments_prefer(segments, after, i);
    return i;
}
