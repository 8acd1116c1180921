/* child.h: this program once more, for one call.
 *
 * It has an own process group, a file to read, which may be empty, and pipes for what it prints. It
 * ends with us, however we end.
 */
#ifndef OT_MCP_CHILD_H
#define OT_MCP_CHILD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* Parsed, the output takes up to 25 times as much memory, and meanwhile no ping is answered. */
enum { OT_MCP_OUTPUT_BYTES = 8 << 20, OT_MCP_COMPLAINT_BYTES = 64 << 10 };

enum ot_mcp_end { OT_MCP_ENDED, OT_MCP_TIMED_OUT, OT_MCP_TOO_LARGE };

struct ot_mcp_child {
    pid_t pid; /* 0: there is none */
    int fds[2];
    struct ot_str texts[2]; /* standard output, standard error as far as it is kept */
    int64_t deadline_ns;    /* CLOCK_MONOTONIC */
    enum ot_mcp_end end;
    int status; /* of waitpid(), once it has ended */
};

/* `argv` ends in NULL; `input` is what it reads. */
int ot_mcp_child_start(struct ot_mcp_child *child, char *const *argv, struct ot_text input,
                       int64_t timeout_ns, struct ot_err *err);

/* What to wait for: two entries, and how long at most. */
int ot_mcp_child_poll(const struct ot_mcp_child *child, struct pollfd fds[2]);

/* Reads what has come. True once it has ended: by itself, or because a limit was met. */
bool ot_mcp_child_pump(struct ot_mcp_child *child, const struct pollfd fds[2]);

/* Ends it if it runs, and releases all. Takes a zeroed struct. */
void ot_mcp_child_release(struct ot_mcp_child *child);

#endif
