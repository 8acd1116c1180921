/* What any machine can run. */
#define OT_SCAN_SCALAR

#include "ingest/kineto/engine.h"
#include "ingest/kineto/parse.h"

const struct ot_kineto_engine ot_kineto_scalar = {
    .name = "scalar", .parse = parse_event, .skip = lex_skip};
