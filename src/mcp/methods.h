/* methods.h: requests that are answered at once. */
#ifndef OT_MCP_METHODS_H
#define OT_MCP_METHODS_H

#include <jansson.h>
#include <stdbool.h>

#include "mcp/mcp.h"

/* A request. */
struct ot_mcp_ask {
    const struct ot_mcp_opts *opts;
    const json_t *params; /* NULL: none */
};

struct ot_mcp_method {
    const char *name;
    json_t *(*answer)(const struct ot_mcp_ask *ask); /* NULL when memory is out */
    bool is_cached; /* revision 2026-07-28 wants to be told for how long the result holds */
};

/* NULL: there is none. */
const struct ot_mcp_method *ot_mcp_method_find(const char *name);

/* The revision that a request names for itself, as all do since 2026-07-28; NULL: it does not. */
const char *ot_mcp_version_of(const json_t *params);

/* True if requests may name it for themselves. */
bool ot_mcp_version_stands_alone(const char *version);

/* {supported, requested} of the error that there is for others. */
json_t *ot_mcp_versions_describe(const char *requested);

/* What such a request's result has besides. Takes and returns it. */
json_t *ot_mcp_result_complete(const struct ot_mcp_opts *opts, json_t *result, bool is_cached);

#endif
