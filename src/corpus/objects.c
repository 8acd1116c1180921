#include "corpus/objects.h"

#include <errno.h>
#include <string.h>

#include "corpus/digest.h"
#include "corpus/disk.h"

int ot_objects_ref(const char *root, const char *name, char ret_id[OT_CORPUS_ID_BYTES],
                   struct ot_err *err)
{
    struct ot_arena arena = {0};
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t len = 0;
    int code = ot_disk_path(path, err, "%s/%s", root, name);
    if (code == OT_OK)
        code = ot_disk_read(&arena, path, &bytes, &len, err);
    if (code == OT_ERR_IO && errno == ENOENT) {
        ret_id[0] = '\0';
        code = OT_OK;
    } else if (code == OT_OK) {
        if (len && bytes[len - 1] == '\n')
            bytes[--len] = '\0';
        if (len == OT_STORE_SHA256_HEX && ot_corpus_is_prefix(bytes))
            memcpy(ret_id, bytes, OT_CORPUS_ID_BYTES);
        else
            code = ot_err_set(err, OT_ERR_INPUT,
                              "%s is damaged: it does not hold the id of a commit" OT_MANIFEST_HINT,
                              path);
    }
    ot_arena_release(&arena);
    return code;
}

static int read_object(struct ot_arena *arena, const char *root, const char *folder, const char *id,
                       char ret_path[PATH_MAX], char **ret_bytes, size_t *ret_len,
                       struct ot_err *err)
{
    char hash[OT_CORPUS_ID_BYTES];
    int code = ot_disk_path(ret_path, err, "%s/%s/%s.json", root, folder, id);
    if (code == OT_OK)
        code = ot_disk_read(arena, ret_path, ret_bytes, ret_len, err);
    if (code == OT_ERR_IO && errno == ENOENT)
        return ot_err_set(err, OT_ERR_INPUT, "%s is missing" OT_MANIFEST_HINT, ret_path);
    if (code < 0)
        return code;
    ot_digest(*ret_bytes, *ret_len, hash);
    if (strcmp(hash, id) != 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s is damaged: its SHA-256 is not its name" OT_MANIFEST_HINT, ret_path);
    return OT_OK;
}

int ot_objects_commit(struct ot_arena *arena, const char *root, const char *id,
                      struct ot_commit_text *ret_commit, struct ot_err *err)
{
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t len = 0;
    int code = read_object(arena, root, "commits", id, path, &bytes, &len, err);
    return code == OT_OK ? ot_manifest_read_commit(arena, path, bytes, len, ret_commit, err) : code;
}

int ot_objects_run(struct ot_arena *arena, const char *root, const char *manifest,
                   struct ot_corpus_run *ret_run, struct ot_err *err)
{
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t len = 0;
    struct ot_corpus_run run = {0};
    int code = read_object(arena, root, "runs", manifest, path, &bytes, &len, err);
    if (code == OT_OK)
        code = ot_manifest_read_run(arena, root, path, bytes, len, &run, err);
    if (code < 0)
        return code;
    run.manifest = ot_arena_copy(arena, manifest, strlen(manifest));
    if (!run.manifest)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for %s", path);
    *ret_run = run;
    return OT_OK;
}

struct search {
    const char *prefix;
    char found[OT_CORPUS_ID_BYTES];
    size_t n;
};

static int compare(void *context, const char *name, struct ot_err *err)
{
    struct search *search = context;
    (void)err;
    if (strncmp(name, search->prefix, strlen(search->prefix)) != 0 ||
        strlen(name) != OT_STORE_SHA256_HEX + strlen(".json"))
        return OT_OK;
    if (search->n++ == 0) {
        memcpy(search->found, name, OT_STORE_SHA256_HEX);
        search->found[OT_STORE_SHA256_HEX] = '\0';
    }
    return OT_OK;
}

int ot_objects_find_commit(const char *root, const char *prefix, char ret_id[OT_CORPUS_ID_BYTES],
                           struct ot_err *err)
{
    char path[PATH_MAX];
    struct search search = {.prefix = prefix};
    if (!ot_corpus_is_prefix(prefix))
        return ot_err_set(err, OT_ERR_INPUT,
                          "'%s' is no commit: its id or a beginning of it, %d digits or more, is "
                          "what optally log prints",
                          prefix, OT_CORPUS_MIN_PREFIX);
    int code = ot_disk_path(path, err, "%s/commits", root);
    if (code == OT_OK)
        code = ot_disk_list(path, compare, &search, err);
    if (code < 0)
        return code;
    if (search.n == 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "no commit %s is in the store %s (optally log lists them)", prefix, root);
    if (search.n > 1)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s is the beginning of %zu commits of the store %s: give more digits",
                          prefix, search.n, root);
    memcpy(ret_id, search.found, OT_CORPUS_ID_BYTES);
    return OT_OK;
}
