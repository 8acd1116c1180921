#include "base/ctf_index.h"

#include <endian.h>
#include <string.h>

/* lttng-tools, include/lttng/ust-ctl.h and ctf-index.h: big-endian, packed; sizes in bits. */
enum { MAGIC = 0xC1F1DCC1u, MAX_ENTRY_BYTES = 4096 };

struct header {
    uint32_t magic;
    uint32_t major;
    uint32_t minor;
    uint32_t entry_bytes;
};

struct entry {
    uint64_t offset_bytes;
    uint64_t packet_bits;
};

bool ot_ctf_index_stream(const char *index_path, char *ret_stream, size_t size)
{
    static const char folder[] = "index/";
    static const char suffix[] = ".idx";
    const char *slash = strrchr(index_path, '/');
    const char *name = slash ? slash + 1 : index_path;
    size_t dir_len = (size_t)(name - index_path);
    size_t name_len = strlen(name);
    if (dir_len < sizeof(folder) - 1 || name_len < sizeof(suffix) ||
        strncmp(name - (sizeof(folder) - 1), folder, sizeof(folder) - 1) != 0 ||
        strcmp(name + name_len - (sizeof(suffix) - 1), suffix) != 0)
        return false;
    int len = snprintf(ret_stream, size, "%.*s%.*s", (int)(dir_len - (sizeof(folder) - 1)),
                       index_path, (int)(name_len - (sizeof(suffix) - 1)), name);
    return len > 0 && (size_t)len < size;
}

bool ot_ctf_index_open(struct ot_ctf_index *index, const char *path)
{
    struct header header;
    index->file = fopen(path, "re");
    if (!index->file)
        return false;
    if (fread(&header, sizeof(header), 1, index->file) == 1 && be32toh(header.magic) == MAGIC) {
        index->entry_bytes = be32toh(header.entry_bytes);
        if (index->entry_bytes >= sizeof(struct entry) && index->entry_bytes <= MAX_ENTRY_BYTES)
            return true;
    }
    ot_ctf_index_close(index);
    return false;
}

bool ot_ctf_index_next(struct ot_ctf_index *index, uint64_t *ret_begin, uint64_t *ret_end)
{
    struct entry entry;
    char rest[MAX_ENTRY_BYTES];
    size_t rest_bytes = index->entry_bytes - sizeof(entry);
    if (fread(&entry, sizeof(entry), 1, index->file) != 1 ||
        (rest_bytes > 0 && fread(rest, rest_bytes, 1, index->file) != 1))
        return false;
    uint64_t begin = be64toh(entry.offset_bytes);
    uint64_t bytes = be64toh(entry.packet_bits) / 8;
    *ret_begin = begin;
    if (__builtin_add_overflow(begin, bytes, ret_end))
        *ret_end = UINT64_MAX;
    return true;
}

void ot_ctf_index_close(struct ot_ctf_index *index)
{
    if (index->file)
        fclose(index->file);
    index->file = NULL;
}
