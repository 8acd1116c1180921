/* json.h: what reading JSON deals in.
 *
 * A cursor walks through bytes that are followed by OT_SOURCE_PADDING zeros. A token that touches
 * the end of the bytes may go on behind it: OT_JSON_MORE, and the caller comes back with more.
 */
#ifndef OT_INGEST_KINETO_JSON_H
#define OT_INGEST_KINETO_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum ot_json_type {
    OT_JSON_STRING,
    OT_JSON_NUMBER,
    OT_JSON_WORD, /* true, false, null */
    OT_JSON_ARRAY,
    OT_JSON_OBJECT
};

/* Of a string: what keeps its bytes from being its text. HIGH: bytes above 0x7f, good or bad. */
enum { OT_JSON_ESCAPES = 1, OT_JSON_CONTROLS = 2, OT_JSON_HIGH = 4 };

struct ot_json_value {
    const unsigned char *at; /* of a string: behind the quote */
    uint32_t len;            /* of a string: without its quotes */
    uint8_t type;
    uint8_t flags;
};

enum ot_json_code {
    OT_JSON_OK,
    OT_JSON_CLOSED, /* of a list of events: its bracket came instead */
    OT_JSON_MORE,   /* the bytes end before it does */
    OT_JSON_FAULT
};

struct ot_json_cursor {
    const unsigned char *at;
    const unsigned char *end;
    const unsigned char *fault_at; /* after OT_JSON_FAULT */
    const char *fault;             /* a phrase: "not a JSON value" */
};

enum { OT_JSON_MAX_DEPTH = 1024 };

/* What is left to do in a value that is being skipped, so that its bytes can come in parts. */
struct ot_json_skip {
    unsigned base;                                /* brackets open around the value */
    unsigned depth;                               /* brackets open now */
    unsigned expect;                              /* of enum expect in skip.h */
    uint64_t objects[OT_JSON_MAX_DEPTH / 64 + 1]; /* bit d: what opened depth d was a brace */
};

static inline struct ot_text ot_json_text(const struct ot_json_value *value)
{
    return (struct ot_text){(const char *)value->at, value->len};
}

#endif
