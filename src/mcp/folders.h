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
    OT_MCP_ABSENT,  /* it would be inside */
    OT_MCP_TOO_MANY /* inside, but with more in it than is looked at */
};

/* Of all folders that one call names, since nothing else is done while they are walked through. */
enum { OT_MCP_MAX_ENTRIES = 20000 };

/* Where `path` is, and, of what is inside, as what it is to be opened: absolute, without links.
 * `entries` counts what may still be looked at in folders. Nothing is said of what is outside, not
 * even whether it is there. A link that somebody puts in later is not seen: whoever may write there
 * is trusted. */
enum ot_mcp_place ot_mcp_folders_find(const struct ot_mcp_folders *folders, const char *path,
                                      size_t *entries, char ret_path[PATH_MAX]);

#endif
