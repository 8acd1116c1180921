/* What every x86-64 can run. */
#ifdef __SSE2__

#include "ingest/kineto/engine_x86.h"
#include "ingest/kineto/parse.h"

const struct ot_kineto_engine ot_kineto_sse2 = {
    .name = "sse2", .parse = parse_event, .skip = lex_skip};

#endif
