/* store.h: the door to DuckDB.
 *
 * Everything that needs DuckDB is in a module that the command opens with dlopen() for the verbs
 * that need it, since opening the library costs some 60 ms. The module exports one symbol,
 * OT_STORE_SYMBOL, of type struct ot_store_api. One thread.
 */
#ifndef OT_STORE_STORE_H
#define OT_STORE_STORE_H

#include <stddef.h>

#include "base/err.h"
#include "stats/analysis.h"
#include "stats/population.h"

#define OT_STORE_SYMBOL "ot_store_api"
enum { OT_STORE_VERSION = 1, OT_STORE_SHA256_HEX = 64 };

struct ot_sha256; /* of bytes that come piece by piece */

struct ot_store_api {
    int version; /* OT_STORE_VERSION, or command and module do not belong together */

    /* Loads the population's tables into a database in memory and runs the queries of sql/. The
     * population has to be complete. On success the caller releases the analysis. */
    int (*analyze)(const struct ot_population *pop, const struct ot_analysis_opts *opts,
                   struct ot_analysis *ret_analysis, struct ot_err *err);

    /* NULL when memory is out. */
    struct ot_sha256 *(*sha256_new)(void);
    void (*sha256_add)(struct ot_sha256 *sha256, const void *bytes, size_t len);
    /* Once; writes lower-case digits and a NUL. */
    void (*sha256_end)(struct ot_sha256 *sha256, char ret_hex[OT_STORE_SHA256_HEX + 1]);
    void (*sha256_free)(struct ot_sha256 *sha256);
};

#endif
