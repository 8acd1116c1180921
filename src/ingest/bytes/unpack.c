#include "ingest/bytes/unpack.h"

static bool recognise_all(const unsigned char *start, size_t len)
{
    (void)start;
    (void)len;
    return true;
}

const struct ot_unpack_class ot_unpack_none = {
    .packing = OT_PACKING_NONE,
    .name = "plain",
    .recognise = recognise_all,
};

const struct ot_unpack_class *ot_unpack_find(const unsigned char *start, size_t len)
{
    static const struct ot_unpack_class *const classes[] = {&ot_unpack_gzip, &ot_unpack_zstd,
                                                            &ot_unpack_none};
    size_t i = 0;
    while (!classes[i]->recognise(start, len))
        i++;
    return classes[i];
}
