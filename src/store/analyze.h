/* analyze.h: the analysis of store.h. */
#ifndef OT_STORE_ANALYZE_H
#define OT_STORE_ANALYZE_H

#include "store/store.h"

int ot_analyze(const struct ot_population *pop, const struct ot_analysis_opts *opts,
               struct ot_analysis *ret_analysis, struct ot_err *err);

#endif
