/* folders.h: which files a client may name: those that lie under given folders, links resolved. */
#ifndef OT_MCP_FOLDERS_H
#define OT_MCP_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ot_mcp_folders {
    char **paths; /* absolute, without links */
    size_t n;
};

/* OT_ERR_INPUT: a folder is none. Release them also after a failure. */
int ot_mcp_folders_init(struct ot_mcp_folders *folders, const char *const *paths, size_t n,
                        struct ot_err *err);
void ot_mcp_folders_release(struct ot_mcp_folders *folders);

enum ot_mcp_place {
    OT_MCP_INSIDE,
    OT_MCP_OUTSIDE, /* or links to what is, or has a link in it that does */
    OT_MCP_ABSENT   /* it would be inside */
};

/* Where `path` is, and, of what is inside, as what it is to be opened: absolute, without links.
 * Nothing is said of what is outside, not even whether it is there. A link that somebody puts in
 * later is not seen: whoever may write there is trusted. */
enum ot_mcp_place ot_mcp_folders_find(const struct ot_mcp_folders *folders, const char *path,
                                      char ret_path[PATH_MAX]);

#endif
