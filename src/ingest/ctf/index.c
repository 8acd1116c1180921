#include "ingest/ctf/index.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/ctf_index.h"

static int check_packets(struct ot_ctf_index *index, const char *path, const char *stream,
                         uint64_t stream_bytes, struct ot_ctf_packets *sum, struct ot_err *err)
{
    uint64_t begin;
    uint64_t end;
    uint64_t last_end = 0;
    while (ot_ctf_index_next(index, &begin, &end)) {
        if (begin != last_end || end <= begin)
            return ot_err_set(err, OT_ERR_INPUT,
                              "%s: damaged: a packet's place makes no sense; copy the trace again",
                              path);
        if (end > stream_bytes)
            return ot_err_set(err, OT_ERR_INPUT,
                              "%s: cut short: its index knows of a packet that ends at byte %llu, "
                              "and the file at byte %llu; copy the trace again",
                              stream, (unsigned long long)end, (unsigned long long)stream_bytes);
        last_end = end;
        sum->n++;
        sum->n_bytes += end - begin;
    }
    return OT_OK;
}

static int check_index(const char *path, struct ot_ctf_packets *sum, struct ot_err *err)
{
    char stream[PATH_MAX];
    struct stat status;
    struct ot_ctf_index index;
    if (!ot_ctf_index_stream(path, stream, sizeof(stream)) || stat(stream, &status) != 0)
        return OT_OK;
    if (!ot_ctf_index_open(&index, path))
        return ot_err_set(err, OT_ERR_INPUT, "%s: not a packet index; copy the trace again", path);
    int code = check_packets(&index, path, stream, (uint64_t)status.st_size, sum, err);
    ot_ctf_index_close(&index);
    return code;
}

int ot_ctf_check_indexes(const char *folder, struct ot_ctf_packets *sum, struct ot_err *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/index", folder);
    DIR *dir = len > 0 && (size_t)len < sizeof(path) ? opendir(path) : NULL;
    int code = OT_OK;
    for (struct dirent *entry; dir && code == OT_OK && (entry = readdir(dir));) {
        len = snprintf(path, sizeof(path), "%s/index/%s", folder, entry->d_name);
        if (len > 0 && (size_t)len < sizeof(path))
            code = check_index(path, sum, err);
    }
    if (dir)
        closedir(dir);
    return code;
}
