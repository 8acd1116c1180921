/* artifacts.h: the SHA-256 that names what was read.
 *
 * A file is named by the hash of its bytes as they lie there, taken while it is read, or, of one
 * log of a recording, behind that. A folder is named by the hash of the lines that sha256sum prints
 * of the regular files below it, their paths relative to it and in byte order; links are followed.
 * Several folders that are read as one session are named by the hash of their own hashes, a line
 * each, in the order they were given in.
 */
#ifndef OT_CLI_ARTIFACTS_H
#define OT_CLI_ARTIFACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* With "sha256:" and a NUL. */
enum { OT_ARTIFACT_NAME_BYTES = 7 + OT_STORE_SHA256_HEX + 1 };

struct ot_artifact;

struct ot_artifacts {
    const struct ot_store_api *store;
    struct ot_artifact *items; /* one per session, as many as there are inputs at most */
    size_t n;
    bool failed;
};

int ot_artifacts_init(struct ot_artifacts *artifacts, const struct ot_store_api *store, size_t n,
                      struct ot_err *err);

/* The tap of struct ot_fold_opts; `context` is a struct ot_artifacts. */
void ot_artifacts_tap(void *context, uint32_t session, const void *bytes, size_t len);

/* Once all is read: names all `n_sessions`. OT_ERR_IO: a file below a folder cannot be read. */
int ot_artifacts_end(struct ot_artifacts *artifacts, size_t n_sessions, const char *const *inputs,
                     size_t n_inputs, struct ot_err *err);

/* "sha256:..."; valid until release. */
const char *ot_artifacts_name(const struct ot_artifacts *artifacts, size_t session);

/* Whether the inputs of those numbers are the same, byte for byte. */
bool ot_artifacts_same(const struct ot_artifacts *artifacts, size_t a, size_t b);

void ot_artifacts_release(struct ot_artifacts *artifacts);

#endif
