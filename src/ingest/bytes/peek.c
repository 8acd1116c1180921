#include <sys/stat.h>

#include "ingest/bytes/stream.h"

enum { PIECE_LEN = 4096 };

int ot_source_peek(const char *path, unsigned char *ret_bytes, size_t cap, size_t *ret_len,
                   enum ot_packing *ret_packing, struct ot_err *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    /* What is read of a pipe is gone for who comes next, and opening one can wait for ever. */
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: not a regular file; give '-' and feed it to standard input", path);
    static const struct ot_source_opts no_opts = {0};
    struct ot_stream stream;
    int code = ot_stream_open(&stream, path, &no_opts, PIECE_LEN, err);
    if (code < 0)
        return code;
    size_t len = 0;
    code = ot_stream_fill(&stream, ret_bytes, cap, &len, err);
    enum ot_packing packing = stream.class->packing;
    ot_stream_release(&stream);
    if (code < 0 && (code != OT_ERR_INPUT || len == 0)) {
        ot_err_context(err, "%s", path);
        return code;
    }
    *ret_len = len;
    *ret_packing = packing;
    return OT_OK;
}
