#include "corpus/hash_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "corpus/disk.h"

enum { CHUNK_BYTES = 1 << 16 };

static int hash_open(const struct ot_store_api *store, int fd, const char *path,
                     struct ot_sha256 *sha256, uint64_t *ret_bytes, struct ot_err *err)
{
    char chunk[CHUNK_BYTES];
    uint64_t n_bytes = 0;
    ssize_t len = 0;
    while ((len = read(fd, chunk, sizeof(chunk))) > 0) {
        store->sha256_add(sha256, chunk, (size_t)len);
        n_bytes += (uint64_t)len;
    }
    *ret_bytes = n_bytes;
    return len < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", path) : OT_OK;
}

int ot_hash_file(const struct ot_store_api *store, const char *path,
                 char ret_hex[OT_CORPUS_ID_BYTES], uint64_t *ret_bytes, struct ot_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    struct ot_sha256 *sha256 = store->sha256_new();
    int code = sha256 ? hash_open(store, fd, path, sha256, ret_bytes, err)
                      : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a hash");
    if (code == OT_OK)
        store->sha256_end(sha256, ret_hex);
    store->sha256_free(sha256);
    close(fd);
    return code;
}

int ot_hash_check_tables(const struct ot_store_api *store, const struct ot_corpus_session *session,
                         struct ot_err *err)
{
    for (size_t i = 0; i < session->n_files; i++) {
        const struct ot_corpus_file *file = &session->files[i];
        char path[PATH_MAX];
        char hex[OT_CORPUS_ID_BYTES];
        uint64_t n_bytes = 0;
        int code = ot_disk_path(path, err, "%s/%s", session->folder, file->name);
        if (code == OT_OK)
            code = ot_hash_file(store, path, hex, &n_bytes, err);
        if (code < 0)
            return code;
        if (n_bytes != file->n_bytes)
            return ot_err_set(err, OT_ERR_DAMAGED, "%s has %llu bytes, and had %llu", path,
                              (unsigned long long)n_bytes, (unsigned long long)file->n_bytes);
        if (strcmp(hex, file->sha256) != 0)
            return ot_err_set(err, OT_ERR_DAMAGED, "%s is damaged: it has another SHA-256", path);
    }
    return OT_OK;
}
