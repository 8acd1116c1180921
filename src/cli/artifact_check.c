#include "cli/artifact_check.h"

#include <stdio.h>
#include <string.h>

#include "cli/artifacts.h"
#include "corpus/hash_file.h"
#include "ingest/bytes/source.h"

static int hash_source(const struct ot_store_api *store, struct ot_source *source,
                       struct ot_sha256 *sha256, struct ot_err *err)
{
    unsigned char *bytes = NULL;
    size_t len = 0;
    int code = OT_OK;
    while ((code = ot_source_next(source, &bytes, &len, err)) == OT_OK)
        store->sha256_add(sha256, bytes, len);
    return code == OT_END ? OT_OK : code;
}

static int hash_packed(const struct ot_store_api *store, const char *path,
                       char ret_hex[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    const struct ot_source_opts opts = {0};
    struct ot_source *source = NULL;
    int code = ot_source_open(path, &opts, &source, err);
    if (code < 0)
        return code;
    struct ot_sha256 *sha256 = store->sha256_new();
    code = sha256 ? hash_source(store, source, sha256, err)
                  : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a hash");
    if (code == OT_OK)
        store->sha256_end(sha256, ret_hex);
    store->sha256_free(sha256);
    ot_source_close(source);
    return code;
}

static int hash_folder(const struct ot_store_api *store, const char *path,
                       char ret_hex[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    struct ot_artifacts artifacts;
    int code = ot_artifacts_init(&artifacts, store, 1, err);
    if (code == OT_OK)
        code = ot_artifacts_end(&artifacts, 1, &path, 1, err);
    if (code == OT_OK)
        snprintf(ret_hex, OT_CORPUS_ID_BYTES, "%s",
                 ot_artifacts_name(&artifacts, 0) + strlen("sha256:"));
    ot_artifacts_release(&artifacts);
    return code;
}

int ot_artifact_check(const struct ot_store_api *store, const struct ot_corpus_session *session,
                      struct ot_err *err)
{
    const char *path = session->input;
    char hex[OT_CORPUS_ID_BYTES] = "";
    uint64_t n_bytes = 0;
    int code = OT_OK;
    if (session->is_folder)
        code = hash_folder(store, path, hex, err);
    else if (session->is_packed)
        code = hash_packed(store, path, hex, err);
    else
        code = ot_hash_file(store, path, hex, &n_bytes, err);
    if (code == OT_OK && strcmp(hex, session->artifact) != 0)
        code = ot_err_set(err, OT_ERR_DAMAGED, "%s is damaged: it has another SHA-256", path);
    return code;
}
