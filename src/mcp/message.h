/* message.h: JSON-RPC 2.0 as the protocol uses it: what comes in, and what goes out. */
#ifndef OT_MCP_MESSAGE_H
#define OT_MCP_MESSAGE_H

#include <jansson.h>

#include "base/text.h"

/* Codes of JSON-RPC 2.0, section 5.1, and one of the protocol's (revision 2026-07-28). */
enum ot_mcp_error {
    OT_MCP_PARSE_ERROR = -32700,
    OT_MCP_INVALID_REQUEST = -32600,
    OT_MCP_METHOD_NOT_FOUND = -32601,
    OT_MCP_INVALID_PARAMS = -32602,
    OT_MCP_INTERNAL_ERROR = -32603,
    OT_MCP_OVERLOADED = -32000, /* of those that are ours to choose */
    OT_MCP_UNSUPPORTED_VERSION = -32022
};

enum ot_mcp_kind {
    OT_MCP_NOTHING, /* to be passed by: an empty line, or a response, since nothing was asked */
    OT_MCP_REQUEST,
    OT_MCP_NOTIFICATION,
    OT_MCP_WRONG /* `reply` says what is */
};

struct ot_mcp_message {
    enum ot_mcp_kind kind;
    json_t *root;
    json_t *id;         /* of a request; in `root` */
    const char *method; /* in `root` */
    json_t *params;     /* an object in `root`, or NULL */
    json_t *reply;
};

/* Any bytes; numbers are held (exact.h). Whoever takes a member that is to outlive the message
 * holds a reference to it. */
void ot_mcp_message_parse(struct ot_text line, struct ot_mcp_message *ret_message);
void ot_mcp_message_release(struct ot_mcp_message *message);

/* A string that is one: no number that is held, and without a NUL inside. NULL otherwise. */
const char *ot_mcp_string(const json_t *value);

/* Any bytes as a JSON string. NULL when memory is out. */
json_t *ot_mcp_text(const char *bytes);

/* `id` NULL: null. `result` and `data` are taken, `data` may be NULL. NULL when memory is out. */
json_t *ot_mcp_reply(json_t *id, json_t *result);
json_t *ot_mcp_reply_error(json_t *id, enum ot_mcp_error code, const char *text, json_t *data);

#endif
