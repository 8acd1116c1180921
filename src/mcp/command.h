/* command.h: from the arguments of a call to a command line of this program.
 *
 * No shell sees it, values are bound to their options by `=`, and inputs stand behind `--`, so that
 * no argument is ever taken for an option. A run is looked up first, and the command is bound to
 * the commit that was looked at: it is never taken for a file of that name. A file is one that may
 * be named, by its path without links.
 */
#ifndef OT_MCP_COMMAND_H
#define OT_MCP_COMMAND_H

#include "base/arena.h"
#include "mcp/failure.h"
#include "mcp/folders.h"
#include "mcp/tools.h"

struct ot_mcp_command {
    struct ot_arena arena;
    char **words; /* ends in NULL */
    size_t n;
    size_t cap;
    struct ot_str input;     /* what it reads */
    struct ot_mcp_pick pick; /* of the last input that is a run */
    bool has_files;
};

struct ot_mcp_rules {
    const struct ot_mcp_opts *opts;
    const struct ot_mcp_folders *folders;
};

/* `command` is zeroed before; release it also after a failure. `arguments` has passed the tool's
 * schema and has its defaults. */
int ot_mcp_command_build(struct ot_mcp_command *command, const struct ot_mcp_rules *rules,
                         const struct ot_mcp_tool *tool, const json_t *arguments,
                         struct ot_mcp_failure *failure);
void ot_mcp_command_release(struct ot_mcp_command *command);

#endif
