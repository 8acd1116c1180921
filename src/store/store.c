#include "store/store.h"

#include "store/analyze.h"
#include "store/sha256.h"

extern const struct ot_store_api ot_store_api;

__attribute__((visibility("default"))) const struct ot_store_api ot_store_api = {
    .version = OT_STORE_VERSION,
    .analyze = ot_analyze,
    .sha256_new = ot_sha256_new,
    .sha256_add = ot_sha256_add,
    .sha256_end = ot_sha256_end,
    .sha256_free = ot_sha256_free,
};
