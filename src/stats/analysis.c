#include "stats/analysis.h"

void ot_analysis_release(struct ot_analysis *analysis)
{
    if (!analysis)
        return;
    ot_arena_release(&analysis->arena);
    *analysis = (struct ot_analysis){0};
}
