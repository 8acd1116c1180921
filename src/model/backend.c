#include "model/backend.h"

const struct ot_backend ot_backends[OT_BACKEND_COUNT] = {
    {.id = 0, .name = "unknown", .label = "BACKEND_UNKNOWN", .kind = "other"},
    {.id = 1,
     .name = "ze",
     .label = "BACKEND_ZE",
     .default_level = 1,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_ze"}},
    {.id = 2,
     .name = "cl",
     .label = "BACKEND_OPENCL",
     .default_level = 1,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_opencl"}},
    {.id = 3,
     .name = "cuda",
     .label = "BACKEND_CUDA",
     .default_level = 1,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_cuda", "lttng_ust_cudart"}},
    {.id = 4,
     .name = "omp_target",
     .label = "BACKEND_OMP_TARGET_OPERATIONS",
     .kind = "runtime",
     .in_population = true},
    {.id = 5,
     .name = "omp",
     .label = "BACKEND_OMP",
     .default_level = 2,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_ompt"}},
    {.id = 6,
     .name = "hip",
     .label = "BACKEND_HIP",
     .default_level = 1,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_hip"}},
    {.id = 7,
     .name = "mpi",
     .label = "BACKEND_MPI",
     .default_level = 3,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_mpi"}},
    {.id = 8,
     .name = "cxi",
     .label = "BACKEND_CXI",
     .default_level = 4,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_cxi"}},
    {.id = 9,
     .name = "itt",
     .label = "BACKEND_ITT",
     .default_level = 5,
     .kind = "runtime",
     .in_population = true,
     .providers = {"lttng_ust_itt"}},
    {.id = OT_BACKEND_PYTORCH,
     .name = "pytorch",
     .label = "BACKEND_PYTORCH",
     .default_level = 6,
     .kind = "op",
     .in_population = true,
     .name_in_fields = true,
     .providers = {"lttng_ust_pytorch"}},
    {.id = OT_BACKEND_ANNOTATION,
     .name = "annotation",
     .label = "ANNOTATION",
     .default_level = 7,
     .name_in_fields = true,
     .lane = OT_LANE_ANNOTATIONS,
     .kind = "annotation",
     .providers = {"lttng_ust_pytorch"},
     .only = "annotation"},
    {.id = OT_BACKEND_RUNTIME,
     .name = "runtime",
     .label = "RUNTIME",
     .default_level = 5,
     .kind = "runtime",
     .in_population = true},
    {.id = OT_BACKEND_DEVICE,
     .name = "device",
     .label = "DEVICE",
     .default_level = 4,
     .lane = OT_LANE_FLAT,
     .kind = "device",
     .in_population = true},
    {.id = OT_BACKEND_PYTHON,
     .name = "python",
     .label = "PYTHON",
     .lane = OT_LANE_PYTHON,
     .kind = "python"},
    {.id = OT_BACKEND_SYNC, .name = "sync", .label = "SYNC", .lane = OT_LANE_FLAT, .kind = "sync"},
    {.id = OT_BACKEND_DEVICE_ANNOTATION,
     .name = "device_annotation",
     .label = "DEVICE_ANNOTATION",
     .lane = OT_LANE_FLAT,
     .kind = "device_annotation"},
    {.id = OT_BACKEND_OTHER,
     .name = "other",
     .label = "OTHER",
     .lane = OT_LANE_FLAT,
     .kind = "other"},
};

const struct ot_backend *ot_backend_by_name(struct ot_text name)
{
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        if (ot_text_same(name, ot_text_of(ot_backends[i].name)))
            return &ot_backends[i];
    }
    return NULL;
}

static bool has_provider(const struct ot_backend *backend, struct ot_text provider)
{
    for (int i = 0; i < OT_BACKEND_MAX_PROVIDERS && backend->providers[i]; i++) {
        if (ot_text_same(provider, ot_text_of(backend->providers[i])))
            return true;
    }
    return false;
}

const struct ot_backend *ot_backend_of_event(struct ot_text provider, struct ot_text call)
{
    const struct ot_backend *found = &ot_backends[OT_BACKEND_UNKNOWN];
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        const struct ot_backend *backend = &ot_backends[i];
        if (!has_provider(backend, provider))
            continue;
        if (backend->only && ot_text_same(call, ot_text_of(backend->only)))
            return backend;
        if (!backend->only)
            found = backend;
    }
    return found;
}

int ot_backend_clamp(long long id)
{
    return id >= 0 && id < OT_BACKEND_COUNT ? (int)id : OT_BACKEND_UNKNOWN;
}
