/* tools.h: what can be asked for: one table.
 *
 * To add a tool: tools/NAME.json with its texts and the schema of its arguments, a row here, and,
 * if it asks in SQL, a function in queries.c. Constant data, but for the parsed texts.
 */
#ifndef OT_MCP_TOOLS_H
#define OT_MCP_TOOLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "mcp/mcp.h"

/* How an argument becomes words of a command line. */
enum ot_mcp_form {
    OT_MCP_VALUE,  /* OPTION=value */
    OT_MCP_SWITCH, /* OPTION, if true */
    OT_MCP_PAIRS,  /* OPTION=key=value of each member */
    OT_MCP_UP_TO,  /* OPTION=offset+limit: what is passed by is asked for, too */
    OT_MCP_INPUT,  /* a run, or a file that may be named */
    OT_MCP_FILES,  /* files that may be named */
    OT_MCP_SIDE    /* OPTION and then inputs, up to the next option */
};

struct ot_mcp_param {
    const char *name;
    enum ot_mcp_form form;
    const char *option;
};

enum { OT_MCP_MAX_PARAMS = 8, OT_MCP_MAX_LISTS = 2 };

/* What a query is about. */
struct ot_mcp_question {
    const json_t *arguments; /* checked, with defaults */
    const struct ot_mcp_pick *pick;
};

struct ot_mcp_tool {
    const char *name;
    const char *texts; /* JSON */
    const char *verb;
    const char *json_option;
    struct ot_mcp_param params[OT_MCP_MAX_PARAMS];
    /* Of tools that ask in SQL: writes the statement. NULL: the arguments say it all. */
    int (*ask)(const struct ot_mcp_question *question, struct ot_str *sql, struct ot_err *err);
    /* Members of the result that hold the rows: an object with them, or an array of such; "": the
     * result itself. */
    const char *lists[OT_MCP_MAX_LISTS];
    const char *order; /* what pages need beside, to fit together; NULL: nothing */
    bool is_of_store;  /* answered from one commit, whatever the arguments */
    bool is_paged;     /* `ask` has already passed by what `offset` says */
    bool mixes_ranks;  /* sees several sessions of a run as such, and needs no leave for it */
    bool writes;
};

extern const struct ot_mcp_tool ot_mcp_tools[];
extern const size_t ot_mcp_n_tools;

const struct ot_mcp_tool *ot_mcp_tool_find(const char *name);

/* The texts as the protocol has them: name, title, description, inputSchema, outputSchema,
 * annotations. NULL when memory is out. The caller owns it. */
json_t *ot_mcp_tool_describe(const struct ot_mcp_tool *tool);

#endif
