#include "mcp/tools.h"

#include <string.h>

#include "mcp/queries.h"

extern const char ot_mcp_text_list_runs[];
extern const char ot_mcp_text_import_trace[];
extern const char ot_mcp_text_tally[];
extern const char ot_mcp_text_analyze_pytorch[];
extern const char ot_mcp_text_diff[];
extern const char ot_mcp_text_query_sql[];
extern const char ot_mcp_text_trace_window[];
extern const char ot_mcp_text_operator_callers[];
extern const char ot_mcp_text_output[];

/* clang-format off */
const struct ot_mcp_tool ot_mcp_tools[] = {
    {.name = "list_runs", .texts = ot_mcp_text_list_runs, .verb = "runs", .json_option = "--json",
     .params = {{"labels", OT_MCP_PAIRS, "--label"}},
     .lists = {""}, .is_of_store = true},
    {.name = "import_trace", .texts = ot_mcp_text_import_trace, .verb = "import", .json_option = "--json",
     .params = {{"name", OT_MCP_VALUE, "--name"}, {"labels", OT_MCP_PAIRS, "--label"},
                {"paths", OT_MCP_FILES, NULL}},
     .lists = {""}, .writes = true},
    {.name = "tally", .texts = ot_mcp_text_tally, .verb = "tally", .json_option = "--json",
     .params = {{"sort", OT_MCP_VALUE, "--sort"}, {"by", OT_MCP_VALUE, "--by"},
                {"limit", OT_MCP_UP_TO, "--top"}, {"all_sessions", OT_MCP_SWITCH, "--all-sessions"},
                {"input", OT_MCP_INPUT, NULL}},
     .lists = {"sections"}},
    {.name = "analyze_pytorch", .texts = ot_mcp_text_analyze_pytorch, .verb = "analyze", .json_option = "--json",
     .params = {{"limit", OT_MCP_UP_TO, "--limit"}, {"small_limit", OT_MCP_VALUE, "--small-limit"},
                {"all_sessions", OT_MCP_SWITCH, "--all-sessions"}, {"input", OT_MCP_INPUT, NULL}},
     .lists = {"operators"}},
    {.name = "diff", .texts = ot_mcp_text_diff, .verb = "diff", .json_option = "--json",
     .params = {{"limit", OT_MCP_UP_TO, "--limit"}, {"baseline", OT_MCP_SIDE, "--baseline"},
                {"candidate", OT_MCP_SIDE, "--candidate"}},
     .lists = {"operators", "device_work"}, .mixes_ranks = true},
    {.name = "query_sql", .texts = ot_mcp_text_query_sql, .verb = "sql", .json_option = "--format=json",
     .params = {{"limit", OT_MCP_UP_TO, "--limit"}},
     .ask = ot_mcp_ask_sql, .lists = {""}, .is_of_store = true,
     .order = " The pages fit together if ORDER BY says which row is before which, ties included."},
    {.name = "trace_window", .texts = ot_mcp_text_trace_window, .verb = "sql", .json_option = "--format=json",
     .ask = ot_mcp_ask_window, .lists = {"events"}, .is_of_store = true, .is_paged = true},
    {.name = "operator_callers", .texts = ot_mcp_text_operator_callers, .verb = "sql", .json_option = "--format=json",
     .ask = ot_mcp_ask_callers, .lists = {"callers", "callees"}, .is_of_store = true, .is_paged = true},
};
/* clang-format on */
const size_t ot_mcp_n_tools = sizeof(ot_mcp_tools) / sizeof(ot_mcp_tools[0]);

const struct ot_mcp_tool *ot_mcp_tool_find(const char *name)
{
    for (size_t i = 0; i < ot_mcp_n_tools; i++) {
        if (strcmp(ot_mcp_tools[i].name, name) == 0)
            return &ot_mcp_tools[i];
    }
    return NULL;
}

json_t *ot_mcp_tool_describe(const struct ot_mcp_tool *tool)
{
    json_t *texts = json_loads(tool->texts, 0, NULL);
    json_t *all = json_pack("{s:s, s:o}", "name", tool->name, "outputSchema",
                            json_loads(ot_mcp_text_output, 0, NULL));
    if (!texts || !all || json_object_update(all, texts) < 0) {
        json_decref(all);
        all = NULL;
    }
    json_decref(texts);
    return all;
}
