#include "store/device_types.h"

#include <stddef.h>

const struct ot_device_type ot_device_types[OT_DEVICE_TYPES] = {
    {0, "cpu"},  {1, "cuda"},  {2, "mkldnn"},         {3, "opengl"}, {4, "opencl"},  {5, "ideep"},
    {6, "hip"},  {7, "fpga"},  {8, "maia"},           {9, "xla"},    {10, "vulkan"}, {11, "metal"},
    {12, "xpu"}, {13, "mps"},  {14, "meta"},          {15, "hpu"},   {16, "ve"},     {17, "lazy"},
    {18, "ipu"}, {19, "mtia"}, {20, "privateuseone"},
};

const char *ot_device_type_label(int64_t type)
{
    for (int i = 0; i < OT_DEVICE_TYPES; i++) {
        if (ot_device_types[i].type == type)
            return ot_device_types[i].label;
    }
    return NULL;
}
