#include "corpus/keep.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/utf8.h"
#include "corpus/disk.h"

/* Level 1 packs faster than a trace is read. Write-back starts early, or the synchronisation at the
 * end would wait for all of it. */
enum { LEVEL = 1, WRITE_BACK_BYTES = 8 << 20, MAGIC_BYTES = 4, MAX_NAME_BYTES = 200 };

struct ot_keep {
    char folder[PATH_MAX];
    char path[PATH_MAX];
    struct ot_kept kept;
    int fd;
    uint64_t n_started; /* of what was written, bytes whose write-back was begun */
    ZSTD_CCtx *packer;  /* NULL: kept as it is */
    char *room;
    size_t room_len;
    bool has_begun;
    unsigned char head[MAGIC_BYTES]; /* bytes from which nothing could be told yet */
    size_t n_head;
    int code; /* the first failure */
    struct ot_err err;
};

int ot_keep_new(const char *folder, const char *name, struct ot_keep **ret_keeper,
                struct ot_err *err)
{
    struct ot_keep *keep = calloc(1, sizeof(*keep));
    if (!keep)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for keeping a trace");
    keep->fd = -1;
    snprintf(keep->folder, sizeof(keep->folder), "%s", folder);
    snprintf(keep->kept.name, sizeof(keep->kept.name), "%s", name);
    *ret_keeper = keep;
    return OT_OK;
}

static void fail(struct ot_keep *keep)
{
    if (keep->code == OT_OK)
        keep->code = ot_err_sys(&keep->err, OT_ERR_IO, "%s", keep->path);
}

static void put(struct ot_keep *keep, const char *bytes, size_t len)
{
    while (len && keep->code == OT_OK) {
        ssize_t n = write(keep->fd, bytes, len);
        if (n < 0) {
            fail(keep);
            return;
        }
        bytes += n;
        len -= (size_t)n;
        keep->kept.n_kept += (uint64_t)n;
    }
    uint64_t n_waiting = keep->kept.n_kept - keep->n_started;
    if (n_waiting >= WRITE_BACK_BYTES) {
        sync_file_range(keep->fd, (off64_t)keep->n_started, (off64_t)n_waiting,
                        SYNC_FILE_RANGE_WRITE);
        keep->n_started = keep->kept.n_kept;
    }
}

static void pack(struct ot_keep *keep, const void *bytes, size_t len, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {bytes, len, 0};
    size_t left = 1;
    while (keep->code == OT_OK && (how == ZSTD_e_end ? left != 0 : in.pos < in.size)) {
        ZSTD_outBuffer out = {keep->room, keep->room_len, 0};
        left = ZSTD_compressStream2(keep->packer, &out, &in, how);
        if (ZSTD_isError(left)) {
            keep->code = ot_err_set(&keep->err, OT_ERR_NOMEM, "%s: zstd: %s", keep->path,
                                    ZSTD_getErrorName(left));
            return;
        }
        put(keep, keep->room, out.pos);
    }
}

static bool is_packed(const unsigned char *head, size_t len)
{
    static const unsigned char gzip[] = {0x1f, 0x8b};
    static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    return (len >= sizeof(gzip) && memcmp(head, gzip, sizeof(gzip)) == 0) ||
           (len >= sizeof(zstd) && memcmp(head, zstd, sizeof(zstd)) == 0);
}

static bool make_packer(struct ot_keep *keep)
{
    keep->packer = ZSTD_createCCtx();
    keep->room_len = ZSTD_CStreamOutSize();
    keep->room = malloc(keep->room_len);
    return keep->packer && keep->room &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(keep->packer, ZSTD_c_compressionLevel, LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(keep->packer, ZSTD_c_checksumFlag, 1));
}

static void begin(struct ot_keep *keep)
{
    keep->has_begun = true;
    keep->kept.is_packed = !is_packed(keep->head, keep->n_head);
    if (keep->kept.is_packed) {
        size_t len = strlen(keep->kept.name);
        snprintf(keep->kept.name + len, sizeof(keep->kept.name) - len, ".zst");
        if (!make_packer(keep)) {
            keep->code = ot_err_set(&keep->err, OT_ERR_NOMEM, "out of memory for zstd");
            return;
        }
    }
    keep->code = ot_disk_path(keep->path, &keep->err, "%s/%s", keep->folder, keep->kept.name);
    if (keep->code < 0)
        return;
    keep->fd = open(keep->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (keep->fd < 0)
        fail(keep);
}

static void take(struct ot_keep *keep, const void *bytes, size_t len)
{
    if (keep->packer)
        pack(keep, bytes, len, ZSTD_e_continue);
    else
        put(keep, bytes, len);
}

void ot_keep_add(struct ot_keep *keep, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    keep->kept.n_read += len;
    while (!keep->has_begun && len && keep->n_head < MAGIC_BYTES) {
        keep->head[keep->n_head++] = *at++;
        len--;
    }
    if (!keep->has_begun && keep->n_head == MAGIC_BYTES) {
        begin(keep);
        take(keep, keep->head, keep->n_head);
    }
    if (keep->has_begun && len)
        take(keep, at, len);
}

int ot_keep_end(struct ot_keep *keep, struct ot_kept *ret_kept, struct ot_err *err)
{
    if (!keep->has_begun) {
        begin(keep);
        take(keep, keep->head, keep->n_head);
    }
    if (keep->packer)
        pack(keep, NULL, 0, ZSTD_e_end);
    if (keep->fd >= 0 && close(keep->fd) < 0)
        fail(keep);
    keep->fd = -1;
    if (keep->code < 0) {
        *err = keep->err;
        return keep->code;
    }
    *ret_kept = keep->kept;
    return OT_OK;
}

void ot_keep_free(struct ot_keep *keep)
{
    if (!keep)
        return;
    if (keep->fd >= 0)
        close(keep->fd);
    ZSTD_freeCCtx(keep->packer);
    free(keep->room);
    free(keep);
}

/* The last of many bytes, which tell what kind of a file it is, from the start of a character on.
 */
static struct ot_text cut(struct ot_text name)
{
    while (name.len > MAX_NAME_BYTES || (name.len && (name.bytes[0] & 0xc0) == 0x80)) {
        name.bytes++;
        name.len--;
    }
    return name;
}

void ot_keep_name(const char *path, char ret_name[NAME_MAX + 1])
{
    struct ot_str str = {0};
    ot_utf8_add_printable(&str, ot_text_base_name(ot_text_of(path)));
    struct ot_text name = cut((struct ot_text){ot_str_borrow(&str), str.len});
    bool is_name = name.len && !memchr(name.bytes, '/', name.len) &&
                   !ot_text_same(name, ot_text_of(".")) && !ot_text_same(name, ot_text_of(".."));
    if (strcmp(path, "-") == 0)
        name = ot_text_of("stdin.json");
    else if (!is_name)
        name = ot_text_of("trace");
    memcpy(ret_name, name.bytes, name.len);
    ret_name[name.len] = '\0';
    ot_str_release(&str);
}
