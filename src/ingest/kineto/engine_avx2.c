/* For machines with AVX2 and BMI: compiled with those (CMakeLists.txt), entered only on them. */
#if defined(__AVX2__)

#include "ingest/kineto/engine_x86.h"
#include "ingest/kineto/parse.h"

const struct ot_kineto_engine ot_kineto_avx2 = {
    .name = "avx2", .parse = parse_event, .skip = lex_skip};

#endif
