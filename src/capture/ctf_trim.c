#include "capture/ctf_trim.h"

#include <endian.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* lttng-tools, include/lttng/ust-ctl.h and ctf-index.h: big-endian, packed. Sizes are in bits. */
enum { INDEX_MAGIC = 0xC1F1DCC1u };

struct index_header {
    uint32_t magic;
    uint32_t major;
    uint32_t minor;
    uint32_t entry_bytes;
};

struct index_entry {
    uint64_t offset_bytes;
    uint64_t packet_bits;
};

static int whole_bytes(const char *index_path, uint64_t file_bytes, uint64_t *ret_bytes,
                       struct ot_err *err)
{
    struct index_header header;
    FILE *file = fopen(index_path, "re");
    if (!file)
        return ot_err_sys(err, OT_ERR_IO, "%s", index_path);
    uint64_t whole = 0;
    if (fread(&header, sizeof(header), 1, file) == 1 && be32toh(header.magic) == INDEX_MAGIC) {
        struct index_entry entry;
        size_t entry_bytes = be32toh(header.entry_bytes);
        while (entry_bytes >= sizeof(entry) && fread(&entry, sizeof(entry), 1, file) == 1) {
            uint64_t end = be64toh(entry.offset_bytes) + be64toh(entry.packet_bits) / 8;
            if (end <= file_bytes && end > whole)
                whole = end;
            if (fseek(file, (long)(entry_bytes - sizeof(entry)), SEEK_CUR) != 0)
                break;
        }
    }
    fclose(file);
    *ret_bytes = whole;
    return OT_OK;
}

/* DIR/index/NAME.idx describes DIR/NAME. */
static int trim_stream(const char *index_path, uint64_t *cut_bytes, struct ot_err *err)
{
    char stream[PATH_MAX];
    const char *name = strrchr(index_path, '/') + 1;
    int dir_len = (int)(name - index_path - strlen("index/"));
    snprintf(stream, sizeof(stream), "%.*s%.*s", dir_len, index_path,
             (int)(strlen(name) - strlen(".idx")), name);
    struct stat st;
    if (stat(stream, &st) < 0)
        return OT_OK;
    uint64_t whole = 0;
    int rc = whole_bytes(index_path, (uint64_t)st.st_size, &whole, err);
    if (rc < 0)
        return rc;
    if (whole < (uint64_t)st.st_size && truncate(stream, (off_t)whole) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", stream);
    *cut_bytes += (uint64_t)st.st_size - whole;
    return OT_OK;
}

static bool is_index(const FTSENT *entry)
{
    return entry->fts_namelen > 4 &&
           strcmp(entry->fts_name + entry->fts_namelen - 4, ".idx") == 0 && entry->fts_parent &&
           strcmp(entry->fts_parent->fts_name, "index") == 0;
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
        if (strcmp(entry->fts_name, "metadata") == 0)
            has_metadata = entry->fts_statp->st_size > 0;
        else if (is_index(entry))
            rc = trim_stream(entry->fts_path, &cut, err);
    }
    fts_close(tree);
    if (rc < 0)
        return rc;
    if (!has_metadata)
        return ot_err_set(err, OT_ERR_INPUT, "%s: nothing readable was written", dir);
    *ret_bytes = cut;
    return OT_OK;
}
