/* unpack.h: how a file can be packed.
 *
 * A way of packing is a constant table of functions and a row in unpack.c. An unpacker turns bytes
 * into bytes, piece by piece; it neither reads nor waits. It belongs to one thread.
 */
#ifndef OT_INGEST_BYTES_UNPACK_H
#define OT_INGEST_BYTES_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "ingest/bytes/source.h"

/* What is left to take, and where there is still room; a step moves both on. */
struct ot_unpack_span {
    unsigned char *in;
    size_t in_len;
    unsigned char *out;
    size_t out_len;
};

struct ot_unpacker;

/* A step may give back this many bytes that earlier ones took, when it finds that it read too far:
 * `in` then moves back and `in_len` grows. So the bytes before `in` have to stay where they are. As
 * many have to be readable behind the input, where damaged data can lead a library astray. */
enum { OT_UNPACK_BACK = 16 };

struct ot_unpack_class {
    enum ot_packing packing;
    const char *name; /* for people: "gzip" */

    /* From the first bytes of a file. */
    bool (*recognise)(const unsigned char *start, size_t len);

    /* NULL: out of memory. Where there is no function, nothing has to be done to the bytes. */
    struct ot_unpacker *(*open)(void);

    /* OT_OK: it moved on, or it needs more input or more room to do so. OT_ERR_INPUT, OT_ERR_NOMEM:
     * *ret_fault says what is wrong with the data, as in "gzip data <fault>"; what was unpacked
     * before is in the span. After a failure only `close` may be called. */
    int (*step)(struct ot_unpacker *unpacker, struct ot_unpack_span *span, const char **ret_fault);

    /* True where the data may end, once a step moves nothing any more. */
    bool (*is_whole)(const struct ot_unpacker *unpacker);

    /* Takes NULL. */
    void (*close)(struct ot_unpacker *unpacker);
};

extern const struct ot_unpack_class ot_unpack_gzip;
extern const struct ot_unpack_class ot_unpack_zstd;

/* Never NULL: what nothing is known of is not packed. */
const struct ot_unpack_class *ot_unpack_find(const unsigned char *start, size_t len);

#endif
