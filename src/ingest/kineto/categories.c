#include "ingest/kineto/categories.h"

#include <stddef.h>

#include "model/backend.h"

#define NAME(text) .name = {(text), sizeof(text) - 1}

/* As Kineto and its likes wrote them, from 2020 to 2026. */
static const struct ot_kineto_category categories[] = {
    {NAME("cpu_op"), .backend = OT_BACKEND_PYTORCH, .has_steps = true},
    {NAME("Operator"), .backend = OT_BACKEND_PYTORCH, .has_steps = true},

    {NAME("cuda_runtime"), .backend = OT_BACKEND_RUNTIME},
    {NAME("cuda_driver"), .backend = OT_BACKEND_RUNTIME},
    {NAME("Runtime"), .backend = OT_BACKEND_RUNTIME},
    {NAME("xpu_runtime"), .backend = OT_BACKEND_RUNTIME},
    {NAME("xpu_driver"), .backend = OT_BACKEND_RUNTIME},
    {NAME("mtia_runtime"), .backend = OT_BACKEND_RUNTIME},
    {NAME("privateuse1_runtime"), .backend = OT_BACKEND_RUNTIME},
    {NAME("privateuse1_driver"), .backend = OT_BACKEND_RUNTIME},
    {NAME("glow_runtime"), .backend = OT_BACKEND_RUNTIME},

    {NAME("kernel"), .backend = OT_BACKEND_DEVICE},
    {NAME("gpu_memcpy"), .backend = OT_BACKEND_DEVICE},
    {NAME("gpu_memset"), .backend = OT_BACKEND_DEVICE},
    {NAME("Kernel"), .backend = OT_BACKEND_DEVICE},
    {NAME("Memcpy"), .backend = OT_BACKEND_DEVICE},
    {NAME("Memset"), .backend = OT_BACKEND_DEVICE},
    {NAME("mtia_ccp_events"), .backend = OT_BACKEND_DEVICE},
    {NAME("hpu_op"), .backend = OT_BACKEND_DEVICE},
    {NAME("collective_comm"), .backend = OT_BACKEND_DEVICE},
    {NAME("privateuse1_kernel"), .backend = OT_BACKEND_DEVICE},
    {NAME("privateuse1_memcpy"), .backend = OT_BACKEND_DEVICE},
    {NAME("privateuse1_memset"), .backend = OT_BACKEND_DEVICE},

    {NAME("user_annotation"), .backend = OT_BACKEND_ANNOTATION},
    {NAME("gpu_user_annotation"), .backend = OT_BACKEND_DEVICE_ANNOTATION},
    {NAME("python_function"), .backend = OT_BACKEND_PYTHON},
    {NAME("cuda_sync"), .backend = OT_BACKEND_SYNC},
    {NAME("xpu_sync"), .backend = OT_BACKEND_SYNC},

    {NAME("Trace"), .backend = OT_BACKEND_OTHER},
    {NAME("overhead"), .backend = OT_BACKEND_OTHER},
    {NAME("cuda_event"), .backend = OT_BACKEND_OTHER},
    {NAME("cuda_profiler_range"), .backend = OT_BACKEND_OTHER},
    {NAME("hardware_counters"), .backend = OT_BACKEND_OTHER},
    {NAME("external_correlation"), .backend = OT_BACKEND_OTHER},
};

const struct ot_kineto_category *ot_kineto_category_of(struct ot_text name)
{
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
        if (ot_text_same(categories[i].name, name))
            return &categories[i];
    }
    return NULL;
}

int ot_kineto_backend(const struct ot_kineto_category *category, struct ot_text name)
{
    static const char step[] = "ProfilerStep#";
    const size_t step_len = sizeof(step) - 1;
    if (category->has_steps && name.len > step_len && memcmp(name.bytes, step, step_len) == 0)
        return OT_BACKEND_ANNOTATION;
    return category->backend;
}
