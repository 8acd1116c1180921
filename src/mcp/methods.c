#include "mcp/methods.h"

#include <string.h>

#include "mcp/message.h"
#include "mcp/tools.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_SERVER  "io.modelcontextprotocol/serverInfo"

enum { CACHED_MS = 3600 * 1000 };

/* From old to new; the last one has no handshake. */
static const char *const versions[] = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28",
};
enum { N_VERSIONS = sizeof(versions) / sizeof(versions[0]), N_WITH_HANDSHAKE = N_VERSIONS - 1 };

static const char instructions[] =
    "optally shows where a PyTorch program's time and memory went, operator by operator, from "
    "traces of torch.profiler and its own recordings. Begin with list_runs; analyze_pytorch says "
    "where the time of a run went; operator_callers, trace_window and query_sql say why; diff "
    "compares runs. Times are nanoseconds, sizes bytes. A limit bounds the rows that are shown, "
    "never what was counted: totals are complete at every limit, page says what is left out and "
    "how "
    "to get it, and completeness says whether numbers are exact or lower bounds, and why. "
    "page.commit names the state of the store that was answered from; give it as commit to get the "
    "same answer again.";

static json_t *server_info(const struct ot_mcp_opts *opts)
{
    return json_pack("{s:s, s:s, s:s}", "name", "optally", "title", "optally", "version",
                     opts->version);
}

/* The client's revision if we have it, else the newest; a client that cannot do that goes away. */
static json_t *initialize(const struct ot_mcp_ask *ask)
{
    const char *asked = ot_mcp_string(json_object_get(ask->params, "protocolVersion"));
    const char *version = versions[N_WITH_HANDSHAKE - 1];
    for (size_t i = 0; i < N_WITH_HANDSHAKE && asked; i++) {
        if (strcmp(versions[i], asked) == 0)
            version = versions[i];
    }
    return json_pack("{s:s, s:{s:{}}, s:o, s:s}", "protocolVersion", version, "capabilities",
                     "tools", "serverInfo", server_info(ask->opts), "instructions", instructions);
}

static json_t *list_versions(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < N_VERSIONS; i++)
        json_array_append_new(list, json_string(versions[i]));
    return list;
}

static json_t *discover(const struct ot_mcp_ask *ask)
{
    (void)ask;
    return json_pack("{s:o, s:{s:{}}, s:s}", "supportedVersions", list_versions(), "capabilities",
                     "tools", "instructions", instructions);
}

static json_t *ping(const struct ot_mcp_ask *ask)
{
    (void)ask;
    return json_object();
}

static json_t *list_tools(const struct ot_mcp_ask *ask)
{
    json_t *tools = json_array();
    for (size_t i = 0; i < ot_mcp_n_tools; i++) {
        if (!ot_mcp_tools[i].writes || !ask->opts->read_only)
            json_array_append_new(tools, ot_mcp_tool_describe(&ot_mcp_tools[i]));
    }
    return json_pack("{s:o}", "tools", tools);
}

static const struct ot_mcp_method methods[] = {
    {"initialize", initialize, false},
    {"server/discover", discover, true},
    {"ping", ping, false},
    {"tools/list", list_tools, true},
};

const struct ot_mcp_method *ot_mcp_method_find(const char *name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    }
    return NULL;
}

const char *ot_mcp_version_of(const json_t *params)
{
    return ot_mcp_string(json_object_get(json_object_get(params, "_meta"), META_VERSION));
}

bool ot_mcp_version_stands_alone(const char *version)
{
    return strcmp(version, versions[N_VERSIONS - 1]) == 0;
}

json_t *ot_mcp_versions_describe(const char *requested)
{
    return json_pack("{s:o, s:s}", "supported", list_versions(), "requested", requested);
}

json_t *ot_mcp_result_complete(const struct ot_mcp_opts *opts, json_t *result, bool is_cached)
{
    json_object_set_new(result, "resultType", json_string("complete"));
    json_object_set_new(result, "_meta", json_pack("{s:o}", META_SERVER, server_info(opts)));
    if (is_cached) {
        json_object_set_new(result, "ttlMs", json_integer(CACHED_MS));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    return result;
}
