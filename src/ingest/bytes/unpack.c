#include "ingest/bytes/unpack.h"

static const struct ot_unpack_class none = {.packing = OT_PACKING_NONE, .name = "plain"};

const struct ot_unpack_class *ot_unpack_find(const unsigned char *start, size_t len)
{
    static const struct ot_unpack_class *const classes[] = {&ot_unpack_gzip, &ot_unpack_zstd};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (classes[i]->recognise(start, len))
            return classes[i];
    }
    return &none;
}
