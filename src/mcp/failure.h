/* failure.h: why a call has no result, in words for an agent. */
#ifndef OT_MCP_FAILURE_H
#define OT_MCP_FAILURE_H

#include <jansson.h>

#include "base/err.h"

struct ot_mcp_failure {
    const char *code; /* one of the table in failure.c, constant */
    struct ot_err err;
};

/* Names the failure; the sentence is already in `failure->err`. Returns OT_ERR_USAGE. */
int ot_mcp_fail(struct ot_mcp_failure *failure, const char *code);

/* {code, message, remediation}. NULL when memory is out. */
json_t *ot_mcp_failure_describe(const struct ot_mcp_failure *failure);

#endif
