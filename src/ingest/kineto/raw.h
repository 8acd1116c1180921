/* raw.h: one event of the JSON text, taken apart and not yet understood.
 *
 * A parser finds the values that matter (the fields below) and validates the grammar of all the
 * rest; what a value means is decided later (event.h), so that the last of duplicate keys wins
 * without effort. All pointers lead into the window (window.h) and live until it moves.
 */
#ifndef OT_INGEST_KINETO_RAW_H
#define OT_INGEST_KINETO_RAW_H

#include <stdint.h>

#include "ingest/kineto/json.h"

struct ot_kineto_category;

enum ot_kineto_field {
    OT_FIELD_NONE, /* a value that means nothing here */
    OT_FIELD_PH,
    OT_FIELD_CAT,
    OT_FIELD_NAME,
    OT_FIELD_PID,
    OT_FIELD_TID,
    OT_FIELD_TS,
    OT_FIELD_DUR,
    OT_FIELD_ID,
    OT_FIELD_ARGS,
    OT_FIELD_FIRST_OF_ARGS, /* from here on: members of "args" */
    OT_FIELD_CORRELATION = OT_FIELD_FIRST_OF_ARGS,
    OT_FIELD_DEVICE,
    OT_FIELD_SEQUENCE,
    OT_FIELD_FORWARD_THREAD,
    OT_FIELD_INPUT_DIMS,
    OT_FIELD_INPUT_DIMS_2020, /* with a small d */
    OT_FIELD_INPUT_TYPES,
    OT_FIELD_CALL_STACK,
    OT_FIELD_PHASE,
    OT_FIELD_BYTES,
    OT_FIELD_DEVICE_TYPE,
    OT_FIELD_DEVICE_ID,
    OT_FIELD_TOTAL_ALLOCATED,
    OT_FIELD_ARGS_NAME,
    OT_FIELD_ARGS_LABELS,
    OT_FIELD_SORT_INDEX,
    OT_FIELD_COUNT
};

#define OT_FIELD_BIT(field) (UINT32_C(1) << (field))
#define OT_FIELDS_OF_ARGS   (OT_FIELD_BIT(OT_FIELD_COUNT) - OT_FIELD_BIT(OT_FIELD_FIRST_OF_ARGS))

struct ot_kineto_raw {
    const unsigned char *at; /* its opening brace; NULL: none was found */
    uint32_t seen;           /* bits of the fields that have a value; others are stale */
    uint32_t repeated;       /* not 0: a key that matters occurred twice in one object */

    /* The category whose name lies at category_at, if that is known without a search. */
    const struct ot_kineto_category *category;
    const unsigned char *category_at;

    struct ot_json_value values[OT_FIELD_COUNT];
};

static inline bool ot_kineto_has(const struct ot_kineto_raw *raw, enum ot_kineto_field field)
{
    return raw->seen & OT_FIELD_BIT(field);
}

#endif
