#include "capture/ctf_trim.h"

#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctf_index.h"

static uint64_t whole_bytes(const char *index_path, uint64_t file_bytes)
{
    struct ot_ctf_index index;
    uint64_t begin;
    uint64_t end;
    uint64_t whole = 0;
    if (!ot_ctf_index_open(&index, index_path))
        return 0;
    while (ot_ctf_index_next(&index, &begin, &end)) {
        if (end <= file_bytes && end > whole)
            whole = end;
    }
    ot_ctf_index_close(&index);
    return whole;
}

static int trim_stream(const char *index_path, const char *stream, uint64_t *cut_bytes,
                       struct ot_err *err)
{
    struct stat st;
    if (stat(stream, &st) < 0)
        return OT_OK;
    uint64_t whole = whole_bytes(index_path, (uint64_t)st.st_size);
    if (whole < (uint64_t)st.st_size && truncate(stream, (off_t)whole) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", stream);
    *cut_bytes += (uint64_t)st.st_size - whole;
    return OT_OK;
}

int ot_ctf_trim(const char *dir, uint64_t *ret_bytes, struct ot_err *err)
{
    char *const roots[] = {(char *)dir, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return ot_err_sys(err, OT_ERR_IO, "%s", dir);
    uint64_t cut = 0;
    bool has_metadata = false;
    int rc = OT_OK;
    for (FTSENT *entry; rc == OT_OK && (entry = fts_read(tree));) {
        if (entry->fts_info != FTS_F)
            continue;
        char stream[PATH_MAX];
        if (strcmp(entry->fts_name, "metadata") == 0)
            has_metadata = entry->fts_statp->st_size > 0;
        else if (ot_ctf_index_stream(entry->fts_path, stream, sizeof(stream)))
            rc = trim_stream(entry->fts_path, stream, &cut, err);
    }
    fts_close(tree);
    if (rc < 0)
        return rc;
    if (!has_metadata)
        return ot_err_set(err, OT_ERR_INPUT, "%s: nothing readable was written", dir);
    *ret_bytes = cut;
    return OT_OK;
}
