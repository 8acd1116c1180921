/* call.h: one call of a tool, from its arguments to its result. */
#ifndef OT_MCP_CALL_H
#define OT_MCP_CALL_H

#include <jansson.h>

#include "mcp/child.h"
#include "mcp/command.h"

/* On the wire, the text and the structure together. */
enum { OT_MCP_RESULT_BYTES = 256 << 10 };

struct ot_mcp_call {
    const struct ot_mcp_rules *rules;
    const struct ot_mcp_tool *tool;
    json_t *arguments; /* its own */
    struct ot_mcp_command command;
    struct ot_mcp_child child;
    struct ot_mcp_failure failure;
};

/* OT_OK: the child runs. Otherwise the call is over, and its result says why. `call` is zeroed
 * before. */
int ot_mcp_call_begin(struct ot_mcp_call *call, const struct ot_mcp_rules *rules,
                      const struct ot_mcp_tool *tool, const json_t *arguments);

/* The result as the protocol has it: content, structuredContent, isError. Once, after the child has
 * ended or was never begun. NULL when memory is out. */
json_t *ot_mcp_call_result(struct ot_mcp_call *call);

void ot_mcp_call_release(struct ot_mcp_call *call);

#endif
