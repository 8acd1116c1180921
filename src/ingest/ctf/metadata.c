#include "ingest/ctf/metadata.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* CTF 1.8, section 7.1: the header of a metadata packet. */
enum {
    MAGIC = 0x75d11d57,
    HEADER_BYTES = 37,
    CONTENT_SIZE_AT = 24, /* in bits */
    PACKET_SIZE_AT = 28   /* in bits */
};
static const char text_start[] = "/* CTF 1.8"; /* of metadata that is not packetized */

static const char remedy[] = "copy the trace again";

static uint32_t read_u32(const unsigned char *bytes, bool is_swapped)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return is_swapped ? __builtin_bswap32(value) : value;
}

static int refuse(const char *folder, const char *reason, struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_INPUT, "%s/metadata: %s; %s", folder, reason, remedy);
}

static int check_packets(FILE *file, uint64_t size, const char *folder, struct ot_err *err)
{
    unsigned char header[HEADER_BYTES];
    for (uint64_t at = 0; at < size;) {
        if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(header, sizeof(header), 1, file) != 1)
            return refuse(folder, "cut short inside a packet", err);
        bool is_swapped = read_u32(header, false) != MAGIC;
        if (read_u32(header, is_swapped) != MAGIC)
            return refuse(folder, "damaged: no packet begins where one should", err);
        uint64_t content_bits = read_u32(header + CONTENT_SIZE_AT, is_swapped);
        uint64_t packet_bits = read_u32(header + PACKET_SIZE_AT, is_swapped);
        if (content_bits < HEADER_BYTES * 8 || content_bits > packet_bits || packet_bits % 8)
            return refuse(folder, "damaged: a packet's size makes no sense", err);
        at += packet_bits / 8;
        if (at > size)
            return refuse(folder, "cut short inside a packet", err);
    }
    return OT_OK;
}

static int check_file(FILE *file, const char *folder, struct ot_err *err)
{
    unsigned char start[sizeof(text_start) - 1] = {0};
    struct stat status;
    if (fstat(fileno(file), &status) != 0)
        return ot_err_sys(err, OT_ERR_IO, "%s/metadata", folder);
    if (status.st_size == 0)
        return refuse(folder, "empty", err);
    size_t n_read = fread(start, 1, sizeof(start), file);
    if (n_read == sizeof(start) && memcmp(start, text_start, sizeof(start)) == 0)
        return OT_OK;
    if (read_u32(start, false) != MAGIC && read_u32(start, true) != MAGIC)
        return refuse(folder, "not the metadata of a CTF 1.8 trace", err);
    return check_packets(file, (uint64_t)status.st_size, folder, err);
}

int ot_ctf_check_metadata(const char *folder, struct ot_err *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/metadata", folder) < 0)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a path");
    FILE *file = fopen(path, "re");
    int code = file ? check_file(file, folder, err) : ot_err_sys(err, OT_ERR_IO, "%s", path);
    if (file)
        fclose(file);
    free(path);
    return code;
}
