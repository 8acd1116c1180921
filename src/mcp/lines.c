#include "mcp/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

enum { READ_BYTES = 64 << 10 };

/* Room behind what was not taken, which moves to the front. */
static int make_room(struct ot_mcp_lines *lines, size_t len, struct ot_err *err)
{
    if (lines->at > 0) {
        memmove(lines->bytes, lines->bytes + lines->at, lines->len - lines->at);
        lines->len -= lines->at;
        lines->seen -= lines->at;
        lines->at = 0;
    }
    if (!ot_vec_reserve(&lines->bytes, &lines->cap, lines->len + len, 1))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a request");
    return OT_OK;
}

int ot_mcp_lines_read(struct ot_mcp_lines *lines, int fd, struct ot_err *err)
{
    int code = make_room(lines, READ_BYTES, err);
    if (code < 0)
        return code;
    ssize_t n = read(fd, lines->bytes + lines->len, READ_BYTES);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN
                   ? OT_OK
                   : ot_err_sys(err, OT_ERR_IO, "cannot read requests");
    lines->len += (size_t)n;
    return n > 0 ? OT_OK : OT_END;
}

int ot_mcp_lines_add(struct ot_mcp_lines *lines, struct ot_text bytes, struct ot_err *err)
{
    int code = make_room(lines, bytes.len, err);
    if (code < 0 || bytes.len == 0)
        return code;
    memcpy(lines->bytes + lines->len, bytes.bytes, bytes.len);
    lines->len += bytes.len;
    return OT_OK;
}

/* The line has no end yet. Only that it is too long has to be kept of one that is. */
static void pass_by(struct ot_mcp_lines *lines)
{
    lines->seen = lines->len;
    if (lines->len - lines->at <= OT_MCP_LINE_BYTES && !lines->is_passed)
        return;
    lines->is_passed = true;
    lines->at = lines->len;
}

bool ot_mcp_lines_next(struct ot_mcp_lines *lines, struct ot_text *ret_line, bool *ret_too_long)
{
    const char *end = lines->len > lines->seen
                          ? memchr(lines->bytes + lines->seen, '\n', lines->len - lines->seen)
                          : NULL;
    if (!end) {
        pass_by(lines);
        return false;
    }
    struct ot_text line = {lines->bytes + lines->at, (size_t)(end - lines->bytes) - lines->at};
    lines->at = lines->seen = (size_t)(end - lines->bytes) + 1;
    *ret_too_long = lines->is_passed || line.len > OT_MCP_LINE_BYTES;
    *ret_line = *ret_too_long ? (struct ot_text){line.bytes, 0} : line;
    lines->is_passed = false;
    return true;
}

void ot_mcp_lines_release(struct ot_mcp_lines *lines)
{
    free(lines->bytes);
    *lines = (struct ot_mcp_lines){0};
}
