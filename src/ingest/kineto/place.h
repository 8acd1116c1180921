/* place.h: how an error or a warning names where it was. */
#ifndef OT_INGEST_KINETO_PLACE_H
#define OT_INGEST_KINETO_PLACE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/warnings.h"

struct ot_kineto_place {
    char text[OT_WARNING_PLACE_BYTES]; /* "event 812 (byte 93211)", or "byte 93211" */
};

/* `number`: of the event, 0 outside of all. `is_packed`: the byte is none of the file's. */
static inline struct ot_kineto_place ot_kineto_place(uint64_t number, uint64_t offset,
                                                     bool is_packed)
{
    struct ot_kineto_place place;
    const char *what = is_packed ? " of the unpacked text" : "";
    if (number)
        snprintf(place.text, sizeof(place.text), "event %" PRIu64 " (byte %" PRIu64 "%s)", number,
                 offset, what);
    else
        snprintf(place.text, sizeof(place.text), "byte %" PRIu64 "%s", offset, what);
    return place;
}

#endif
