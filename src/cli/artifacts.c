#include "cli/artifacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder_files.h"
#include "corpus/hash_file.h"

#define PREFIX "sha256:"
enum { HEX = OT_STORE_SHA256_HEX };

struct ot_artifact {
    struct ot_sha256 *sha256;        /* of a file, as long as it is read */
    char name[sizeof(PREFIX) + HEX]; /* of the session of this number */
    char folder[HEX + 1];            /* the hash of the input of this number, if it is a folder */
};

int ot_artifacts_init(struct ot_artifacts *artifacts, const struct ot_store_api *store, size_t n,
                      struct ot_err *err)
{
    *artifacts = (struct ot_artifacts){.store = store, .n = n};
    artifacts->items = calloc(n, sizeof(*artifacts->items));
    return artifacts->items ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for inputs");
}

void ot_artifacts_tap(void *context, uint32_t session, const void *bytes, size_t len)
{
    struct ot_artifacts *artifacts = context;
    if (session >= artifacts->n)
        return;
    struct ot_artifact *item = &artifacts->items[session];
    if (!item->sha256)
        item->sha256 = artifacts->store->sha256_new();
    if (item->sha256)
        artifacts->store->sha256_add(item->sha256, bytes, len);
    else
        artifacts->failed = true;
}

/* Adds the lines of the files of a folder. */
static int hash_lines(const struct ot_store_api *store, const struct ot_folder_files *files,
                      struct ot_sha256 *sha256, struct ot_err *err)
{
    for (size_t i = 0; i < files->n; i++) {
        char hex[HEX + 1];
        uint64_t n_bytes = 0;
        int code = ot_hash_file(store, files->paths[i], hex, &n_bytes, err);
        if (code < 0)
            return code;
        const char *relative = files->paths[i] + files->root_len;
        store->sha256_add(sha256, hex, HEX);
        store->sha256_add(sha256, "  ", 2);
        store->sha256_add(sha256, relative, strlen(relative));
        store->sha256_add(sha256, "\n", 1);
    }
    return OT_OK;
}

static int hash_folder(const struct ot_store_api *store, const char *path, char ret_hex[HEX + 1],
                       struct ot_err *err)
{
    struct ot_folder_files files = {0};
    struct stat status;
    uint64_t n_bytes = 0;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) /* one log of a recording */
        return ot_hash_file(store, path, ret_hex, &n_bytes, err);
    struct ot_sha256 *sha256 = store->sha256_new();
    int code = sha256 ? ot_folder_files_list(&files, path, err)
                      : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a hash");
    if (code == OT_OK)
        code = hash_lines(store, &files, sha256, err);
    if (code == OT_OK)
        store->sha256_end(sha256, ret_hex);
    ot_folder_files_release(&files);
    store->sha256_free(sha256);
    return code;
}

static int hash_folders(struct ot_artifacts *artifacts, const char *const *inputs, size_t n_inputs,
                        char ret_hex[HEX + 1], struct ot_err *err)
{
    const struct ot_store_api *store = artifacts->store;
    struct ot_sha256 *sha256 = store->sha256_new();
    int code = sha256 ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a hash");
    for (size_t i = 0; i < n_inputs && i < artifacts->n && code == OT_OK; i++) {
        char *hex = artifacts->items[i].folder;
        code = hash_folder(store, inputs[i], hex, err);
        if (code < 0)
            break;
        store->sha256_add(sha256, hex, HEX);
        store->sha256_add(sha256, "\n", 1);
    }
    if (code == OT_OK && n_inputs == 1)
        memcpy(ret_hex, artifacts->items[0].folder, HEX + 1);
    else if (code == OT_OK)
        store->sha256_end(sha256, ret_hex);
    store->sha256_free(sha256);
    return code;
}

int ot_artifacts_end(struct ot_artifacts *artifacts, size_t n_sessions, const char *const *inputs,
                     size_t n_inputs, struct ot_err *err)
{
    if (artifacts->failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a hash");
    for (size_t i = 0; i < n_sessions && i < artifacts->n; i++) {
        struct ot_artifact *item = &artifacts->items[i];
        char hex[HEX + 1];
        if (item->sha256) {
            artifacts->store->sha256_end(item->sha256, hex);
        } else {
            int code = hash_folders(artifacts, inputs, n_inputs, hex, err);
            if (code < 0)
                return code;
        }
        snprintf(item->name, sizeof(item->name), PREFIX "%s", hex);
    }
    return OT_OK;
}

const char *ot_artifacts_name(const struct ot_artifacts *artifacts, size_t session)
{
    return session < artifacts->n ? artifacts->items[session].name : "";
}

bool ot_artifacts_same(const struct ot_artifacts *artifacts, size_t a, size_t b)
{
    const struct ot_artifact *one = &artifacts->items[a];
    const struct ot_artifact *other = &artifacts->items[b];
    const char *hash = one->folder[0] != '\0' ? one->folder : one->name;
    const char *other_hash = one->folder[0] != '\0' ? other->folder : other->name;
    return hash[0] != '\0' && strcmp(hash, other_hash) == 0;
}

void ot_artifacts_release(struct ot_artifacts *artifacts)
{
    if (!artifacts)
        return;
    for (size_t i = 0; i < artifacts->n && artifacts->items; i++)
        artifacts->store->sha256_free(artifacts->items[i].sha256);
    free(artifacts->items);
    *artifacts = (struct ot_artifacts){0};
}
