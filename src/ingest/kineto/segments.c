#include "ingest/kineto/segments.h"

#include <string.h>

#include "ingest/kineto/raw.h"

void ot_kineto_segments_init(struct ot_kineto_segments *segments)
{
    memset(segments->newest, 0, sizeof(segments->newest));
    memset(segments->of, 0, OT_STATE_COUNT * sizeof(segments->of[0]));
    for (int i = 0; i < OT_STATE_COUNT; i++)
        segments->of[i].hop.to = (uint8_t)i;
    segments->n = OT_STATE_COUNT;
}

size_t ot_kineto_segments_renew(struct ot_kineto_segments *segments, size_t segment)
{
    if (segments->n < OT_SEGMENTS_MAX)
        return segment;
    size_t state = segments->of[segment].hop.to;
    ot_kineto_segments_init(segments);
    return state;
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

/* Looks only so far that an input of ever new keys costs no more than parsing it. */
static size_t find(const struct ot_kineto_segments *segments, size_t parent,
                   const unsigned char *bytes, size_t len)
{
    enum { MAX_LOOKS = 16 };
    size_t i = segments->newest[parent];
    for (int n = 0; i && n < MAX_LOOKS; n++) {
        if (segments->of[i].hop.len == len && memcmp(segments->of[i].bytes, bytes, len) == 0)
            return i;
        i = segments->older[i];
    }
    return 0;
}

static size_t add(struct ot_kineto_segments *segments, size_t parent,
                  const struct ot_kineto_hop *hop, const unsigned char *bytes)
{
    size_t i = segments->n++;
    struct ot_kineto_segment *segment = &segments->of[i];
    *segment = (struct ot_kineto_segment){.hop = *hop};
    memcpy(segment->bytes, bytes, hop->len);
    segments->older[i] = segments->newest[parent];
    segments->newest[parent] = (uint16_t)i;
    return i;
}

static bool can_keep(const struct ot_kineto_hop *hop, const unsigned char *bytes)
{
    /* Args that are no object: were they one, the way would go on into it. */
    bool depends_on_value = hop->field == OT_FIELD_ARGS && !hop->is_end;
    /* A NUL would compare equal to the padding behind the window. */
    return hop->len > 0 && hop->len <= OT_SEGMENT_BYTES && !hop->repeats && !depends_on_value &&
           !memchr(bytes, '\0', hop->len);
}

size_t ot_kineto_segments_learn(struct ot_kineto_segments *segments, size_t after,
                                const struct ot_kineto_hop *hop, const unsigned char *bytes)
{
    if (!can_keep(hop, bytes))
        return hop->to;
    size_t parent = segments->of[after].hop.is_end ? OT_STATE_LIST_VALUE : after;
    size_t i = find(segments, parent, bytes, hop->len);
    if (!i && segments->n == OT_SEGMENTS_MAX)
        return hop->to;
    if (!i)
        i = add(segments, parent, hop, bytes);
    ot_kineto_segments_prefer(segments, after, i);
    return i;
}
