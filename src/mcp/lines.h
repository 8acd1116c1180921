/* lines.h: lines of a stream, each of them bounded.
 *
 * What is too long is passed by, up to its end, and reported as one line; so a broken client costs
 * no memory and the next line is read as ever. A zeroed struct is empty. One thread.
 */
#ifndef OT_MCP_LINES_H
#define OT_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum { OT_MCP_LINE_BYTES = 16 << 20 };

struct ot_mcp_lines {
    char *bytes;
    size_t len;
    size_t cap;
    size_t at;      /* where the next line begins */
    size_t seen;    /* up to here there is no end of it */
    bool is_passed; /* the line that goes on is too long */
};

/* One read(2), which may wait. OT_END: the stream has ended; OT_ERR_IO, OT_ERR_NOMEM. */
int ot_mcp_lines_read(struct ot_mcp_lines *lines, int fd, struct ot_err *err);

/* The same of bytes that are at hand. */
int ot_mcp_lines_add(struct ot_mcp_lines *lines, struct ot_text bytes, struct ot_err *err);

/* False: no line has ended. Without its newline; valid until the next read. */
bool ot_mcp_lines_next(struct ot_mcp_lines *lines, struct ot_text *ret_line, bool *ret_too_long);

void ot_mcp_lines_release(struct ot_mcp_lines *lines);

#endif
