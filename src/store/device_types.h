/* device_types.h: what PyTorch calls its kinds of devices. Constant data, any thread. */
#ifndef OT_STORE_DEVICE_TYPES_H
#define OT_STORE_DEVICE_TYPES_H

#include <stdint.h>

/* c10::DeviceType; PyTorch's c10/core/DeviceType.h has the numbers. */
struct ot_device_type {
    int64_t type;
    const char *label; /* "cuda" */
};

enum { OT_DEVICE_TYPES = 21 };

extern const struct ot_device_type ot_device_types[OT_DEVICE_TYPES];

/* NULL for a number that is not in the table. */
const char *ot_device_type_label(int64_t type);

#endif
