/* mcp.h: a server of the Model Context Protocol on two file descriptors.
 *
 * Messages are JSON-RPC 2.0, one a line. Revisions that begin with a handshake (2024-11-05 to
 * 2025-11-25) and the one whose requests stand alone (2026-07-28) are served side by side. A call
 * of a tool runs this program once more, with --json, and hands on what it prints: so an agent and
 * a person get the same numbers. One call runs at a time; meanwhile others wait, pings are answered
 * and calls can be cancelled. One thread.
 */
#ifndef OT_MCP_MCP_H
#define OT_MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { OT_MCP_ID_BYTES = 65 }; /* hexadecimal digits of a SHA-256, and a NUL */

/* What a run is, in one commit of the store. */
struct ot_mcp_pick {
    char commit[OT_MCP_ID_BYTES]; /* "": the store has none yet */
    char (*sessions)[OT_MCP_ID_BYTES];
    size_t n_sessions;
};

/* What the server asks of the program that it is in. */
struct ot_mcp_host {
    void *data;

    /* `commit` NULL: the newest; `run` NULL: only the commit is wanted. The caller frees
     * `sessions`, also after a failure. */
    int (*pick)(void *data, const char *commit, const char *run, struct ot_mcp_pick *ret_pick,
                struct ot_err *err);
    void (*log)(void *data, const char *line);
};

struct ot_mcp_opts {
    const char *version; /* of this program */
    const char *store;   /* --store of each call, or NULL */
    const char *commit;  /* the whole id of the one that is answered from; NULL: the newest */
    const char *const *folders; /* under which files may be named */
    size_t n_folders;
    int64_t timeout_ns; /* of a call */
    bool read_only;     /* there is no import; goes with `commit`, too */
    const struct ot_mcp_host *host;
};

/* Until `in_fd` ends and all that came from it is answered, or nobody reads `out_fd` any more; a
 * call that runs then is ended. Changes what SIGPIPE and SIGCHLD do. OT_ERR_INPUT: a folder is
 * none. OT_ERR_IO: a descriptor fails. */
int ot_mcp_serve(const struct ot_mcp_opts *opts, int in_fd, int out_fd, struct ot_err *err);

#endif
