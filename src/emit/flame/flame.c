#include "emit/flame/flame.h"

#include "emit/flame/weights.h"

static bool has_weight(const struct ot_flame_source *source, enum ot_flame_weight weight)
{
    for (size_t i = 0; i < source->stacks->n_frames; i++) {
        if (flame_weight_of(&source->stacks->frames[i], weight))
            return true;
    }
    return false;
}

static bool has_calls(const struct ot_flame_source *source)
{
    return has_weight(source, OT_FLAME_CALLS);
}

static bool has_memory(const struct ot_flame_source *source)
{
    return source->pop->n_memory > 0;
}

static bool has_device(const struct ot_flame_source *source)
{
    return source->pop->n_devices > 0;
}

static const struct {
    bool (*is_there)(const struct ot_flame_source *source);
    const char *absent;
    const char *zero;
} checks[OT_FLAME_WEIGHTS] = {
    [OT_FLAME_SELF] = {has_calls, "holds no calls, so there is nothing to draw",
                       "all calls together took no time: choose --weight calls"},
    [OT_FLAME_CALLS] = {has_calls, "holds no calls, so there is nothing to draw", ""},
    [OT_FLAME_ALLOCATED] = {has_memory,
                            "holds no memory events, which --weight alloc needs: record with "
                            "optally record --memory, or profile with profile_memory=True",
                            "holds memory events, but nothing was allocated"},
    [OT_FLAME_DEVICE] = {has_device,
                         "holds no work of a device, which --weight device needs: profile with "
                         "ProfilerActivity.CUDA, or choose another weight",
                         "its devices worked no time at all"},
};

int ot_flame_check(const struct ot_flame_source *source, enum ot_flame_weight weight,
                   struct ot_err *err)
{
    if (!checks[weight].is_there(source))
        return ot_err_set(err, OT_ERR_INPUT, "%s", checks[weight].absent);
    if (!has_weight(source, weight))
        return ot_err_set(err, OT_ERR_INPUT, "%s", checks[weight].zero);
    return OT_OK;
}
