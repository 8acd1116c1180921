#include "ingest/kineto/engine.h"

#include <stdbool.h>

#ifdef __x86_64__
#include "ingest/kineto/engine_x86.h"

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

const struct ot_kineto_engine *ot_kineto_engine(void)
{
    return has_avx2() ? &ot_kineto_avx2 : &ot_kineto_sse2;
}

void ot_kineto_engines(const struct ot_kineto_engine *ret_engines[OT_KINETO_MAX_ENGINES + 1])
{
    ret_engines[0] = &ot_kineto_scalar;
    ret_engines[1] = &ot_kineto_sse2;
    ret_engines[2] = has_avx2() ? &ot_kineto_avx2 : NULL;
    ret_engines[3] = NULL;
}

#else

const struct ot_kineto_engine *ot_kineto_engine(void)
{
    return &ot_kineto_scalar;
}

void ot_kineto_engines(const struct ot_kineto_engine *ret_engines[OT_KINETO_MAX_ENGINES + 1])
{
    ret_engines[0] = &ot_kineto_scalar;
    ret_engines[1] = NULL;
}

#endif
