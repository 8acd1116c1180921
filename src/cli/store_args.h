/* store_args.h: what the verbs of the store share on their command lines. */
#ifndef OT_CLI_STORE_ARGS_H
#define OT_CLI_STORE_ARGS_H

#include <stdint.h>

#include "base/err.h"

#define OT_STORE_USAGE                                                                             \
    "  --store DIR          the store (default: $OPTALLY_STORE, or the nearest .optally)\n"
#define OT_WAIT_USAGE                                                                              \
    "  --wait SECONDS       wait that long for another writer (default: not at all)\n"

/* OT_ERR_USAGE. */
int ot_parse_wait(const char *value, int64_t *ret_wait_ns, struct ot_err *err);

/* A moment as people write it, in UTC: "2026-11-30 07:44:03Z". */
enum { OT_MOMENT_BYTES = 64 };
void ot_moment(char ret_text[OT_MOMENT_BYTES], int64_t ns);

#endif
