#include "ingest/oplog/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many bytes as there are, up to `len`. */
static ssize_t read_at(int fd, void *into, size_t len, uint64_t offset)
{
    size_t n = 0;
    while (n < len) {
        ssize_t got = pread(fd, (char *)into + n, len - n, (off_t)(offset + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

/* A pipe of that name must not make us wait. */
static int open_regular(const char *path, struct stat *ret_status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

/* OT_END if the file was removed, or another one is in its place. */
static int open_again(const struct ot_oplog_file *file, int *ret_fd, struct stat *ret_status,
                      struct ot_err *err)
{
    int fd = open_regular(file->path, ret_status);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EINVAL
                   ? OT_END
                   : ot_err_sys(err, OT_ERR_IO, "%s", file->path);
    if (ret_status->st_dev != file->device || ret_status->st_ino != file->inode) {
        close(fd);
        return OT_END;
    }
    *ret_fd = fd;
    return OT_OK;
}

bool ot_oplog_is_log(const char *path)
{
    char magic[sizeof(((struct ot_oplog_header *)0)->magic)];
    struct stat status = {0};
    int fd = open_regular(path, &status);
    if (fd < 0)
        return false;
    bool is_log = read_at(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
                  memcmp(magic, OT_OPLOG_MAGIC, sizeof(magic)) == 0;
    close(fd);
    return is_log;
}

static int check_header(const struct ot_oplog_header *header, size_t len, struct ot_err *err)
{
    if (len < sizeof(header->magic) ||
        memcmp(header->magic, OT_OPLOG_MAGIC, sizeof(header->magic)) != 0)
        return ot_err_set(err, OT_ERR_INPUT, "not an operator log");
    if (len < sizeof(*header))
        return ot_err_set(err, OT_ERR_INPUT,
                          "an operator log that ends inside its header: copy the whole file");
    if (header->version != OT_OPLOG_VERSION)
        return ot_err_set(err, OT_ERR_INPUT,
                          "an operator log of version %u, written by another version of optally; "
                          "this one reads version %d",
                          header->version, OT_OPLOG_VERSION);
    if (header->header_bytes != OT_OPLOG_HEADER_BYTES ||
        header->chunk_bytes != OT_OPLOG_CHUNK_BYTES)
        return ot_err_set(err, OT_ERR_INPUT,
                          "written by another version of optally: a header of %u bytes and chunks "
                          "of %u, where this one reads %d and %d",
                          header->header_bytes, header->chunk_bytes, OT_OPLOG_HEADER_BYTES,
                          OT_OPLOG_CHUNK_BYTES);
    if (header->clock < OT_OPLOG_CLOCK_TSC || header->clock > OT_OPLOG_CLOCK_MONOTONIC)
        return ot_err_set(err, OT_ERR_INPUT,
                          "its times are of clock %u, which this version of optally does not know",
                          header->clock);
    return OT_OK;
}

static int look(struct ot_oplog_file *file, int fd, const struct stat *status, struct ot_err *err)
{
    struct ot_oplog_header header = {0};
    ssize_t len = read_at(fd, &header, sizeof(header), 0);
    if (len < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", file->path);
    int code = check_header(&header, (size_t)len, err);
    if (code < 0) {
        ot_err_context(err, "%s", file->path);
        return code;
    }
    file->header = header;
    file->n_bytes = (uint64_t)status->st_size;
    return OT_OK;
}

int ot_oplog_file_open(struct ot_oplog_file *file, const char *path, struct ot_err *err)
{
    *file = (struct ot_oplog_file){.path = strdup(path)};
    if (!file->path)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a path");
    struct stat status = {0};
    int fd = open_regular(path, &status);
    int code = fd < 0 ? ot_err_sys(err, OT_ERR_IO, "%s", path) : look(file, fd, &status, err);
    if (fd >= 0)
        close(fd);
    if (code < 0) {
        ot_oplog_file_close(file);
        return code;
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return OT_OK;
}

int ot_oplog_file_look(struct ot_oplog_file *file, struct ot_err *err)
{
    struct stat status = {0};
    int fd = -1;
    int code = open_again(file, &fd, &status, err);
    if (code == OT_END)
        return ot_err_set(err, OT_ERR_IO, "%s: was removed while it was read", file->path);
    if (code < 0)
        return code;
    code = look(file, fd, &status, err);
    close(fd);
    return code;
}

uint64_t ot_oplog_file_chunks(const struct ot_oplog_file *file)
{
    if (file->n_bytes < OT_OPLOG_HEADER_BYTES + sizeof(struct ot_oplog_chunk))
        return 0;
    uint64_t n_bytes = file->n_bytes - OT_OPLOG_HEADER_BYTES;
    uint64_t rest = n_bytes % OT_OPLOG_CHUNK_BYTES;
    return n_bytes / OT_OPLOG_CHUNK_BYTES + (rest >= sizeof(struct ot_oplog_chunk));
}

bool ot_oplog_file_is_cut(const struct ot_oplog_file *file)
{
    return file->n_bytes > OT_OPLOG_HEADER_BYTES &&
           (file->n_bytes - OT_OPLOG_HEADER_BYTES) % OT_OPLOG_CHUNK_BYTES != 0;
}

static uint64_t offset_of(uint64_t number)
{
    return OT_OPLOG_HEADER_BYTES + number * OT_OPLOG_CHUNK_BYTES;
}

static bool can_be(const struct ot_oplog_file *file, uint64_t number)
{
    return number < ot_oplog_file_chunks(file);
}

/* UNUSED if it is not there. */
static int read_head(int fd, uint64_t number, struct ot_oplog_chunk *ret)
{
    ssize_t len = read_at(fd, ret, sizeof(*ret), offset_of(number));
    if (len < (ssize_t)sizeof(*ret))
        *ret = (struct ot_oplog_chunk){0};
    return len < 0 ? OT_ERR_IO : OT_OK;
}

static int read_words(const struct ot_oplog_file *file, int fd, uint64_t number, size_t from,
                      size_t n, struct ot_oplog_buffer *ret)
{
    uint64_t offset = offset_of(number) + sizeof(ret->head) + from * sizeof(ret->words[0]);
    ssize_t len = 0;
    if (from == 0) {
        /* Head and words lie side by side in the buffer, too. */
        _Static_assert(offsetof(struct ot_oplog_buffer, words) ==
                           offsetof(struct ot_oplog_buffer, head) + sizeof(ret->head),
                       "no gap");
        len = read_at(fd, (char *)ret + offsetof(struct ot_oplog_buffer, head),
                      sizeof(ret->head) + n * sizeof(ret->words[0]), offset_of(number));
        if (len >= 0 && len < (ssize_t)sizeof(ret->head)) {
            ret->head = (struct ot_oplog_chunk){0};
            return OT_OK;
        }
        len -= (ssize_t)sizeof(ret->head);
    } else {
        if (read_head(fd, number, &ret->head) < 0)
            return OT_ERR_IO;
        len = read_at(fd, ret->words, n * sizeof(ret->words[0]), offset);
    }
    if (len < 0)
        return OT_ERR_IO;
    ret->n_words = (size_t)len / sizeof(ret->words[0]);
    if (!(file->header.options & OT_OPLOG_RING))
        return OT_OK;
    /* Words are copied upwards, and a chunk's head is changed before and after its words. */
    struct ot_oplog_chunk after;
    if (read_head(fd, number, &after) < 0)
        return OT_ERR_IO;
    if (after.kind != ret->head.kind || after.generation != ret->head.generation) {
        ret->head = (struct ot_oplog_chunk){0};
        ret->n_words = 0;
    }
    return OT_OK;
}

int ot_oplog_file_read(const struct ot_oplog_file *file, uint64_t number, size_t from, size_t n,
                       struct ot_oplog_buffer *ret, struct ot_err *err)
{
    ret->head = (struct ot_oplog_chunk){0};
    ret->n_words = 0;
    if (!can_be(file, number) || from >= OT_OPLOG_CHUNK_WORDS)
        return OT_OK;
    if (n > OT_OPLOG_CHUNK_WORDS - from)
        n = OT_OPLOG_CHUNK_WORDS - from;
    struct stat status = {0};
    int fd = -1;
    int code = open_again(file, &fd, &status, err);
    if (code != OT_OK)
        return code == OT_END ? OT_OK : code;
    code = read_words(file, fd, number, from, n, ret);
    if (code < 0)
        ot_err_sys(err, OT_ERR_IO, "%s: chunk %llu", file->path, (unsigned long long)number);
    close(fd);
    return code;
}

int ot_oplog_file_head(const struct ot_oplog_file *file, uint64_t number,
                       struct ot_oplog_chunk *ret, struct ot_err *err)
{
    *ret = (struct ot_oplog_chunk){0};
    if (!can_be(file, number))
        return OT_OK;
    struct stat status = {0};
    int fd = -1;
    int code = open_again(file, &fd, &status, err);
    if (code != OT_OK)
        return code == OT_END ? OT_OK : code;
    code = read_head(fd, number, ret);
    if (code < 0)
        ot_err_sys(err, OT_ERR_IO, "%s: chunk %llu", file->path, (unsigned long long)number);
    close(fd);
    return code;
}

void ot_oplog_file_close(struct ot_oplog_file *file)
{
    if (!file)
        return;
    free(file->path);
    *file = (struct ot_oplog_file){0};
}
