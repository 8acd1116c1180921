#include "mcp/failure.h"

#include <string.h>

#include "mcp/message.h"

static const struct {
    const char *code;
    const char *remedy;
} remedies[] = {
    {"invalid_arguments", "the inputSchema of the tool says what it takes"},
    {"bad_input",
     "list_runs says which runs there are, and by what names; where there is no store, "
     "ask the user for one: optally init"},
    {"not_allowed",
     "name a run of the store (list_runs); files can be named only under the folders "
     "that the server was started with: optally mcp --allow DIR"},
    {"not_found", "look at the folder, or name a run of the store (list_runs)"},
    {"several_sessions", "name one session of the run as RUN:#0, RUN:#1 or RUN:rank0, or say "
                         "\"all_sessions\": true"},
    {"too_many_files", "name the recording's own folder, or ask the user to import it: optally "
                       "import FOLDER"},
    {"read_only", "ask the user to import the trace: optally import FILE"},
    {"pinned", "leave \"commit\" out"},
    {"timeout", "ask for less, or start the server with a longer time: optally mcp --timeout S"},
    {"too_large",
     "ask for fewer rows (\"limit\"), a smaller \"offset\" or, in SQL, fewer or shorter "
     "columns; to get far, let WHERE begin behind the last row that you have"},
    {"unknown_operator", "take a name as analyze_pytorch prints it"},
    {"failed", "optally doctor says what is missing; the log of the server may say more"},
};

int ot_mcp_fail(struct ot_mcp_failure *failure, const char *code)
{
    failure->code = code;
    return OT_ERR_USAGE;
}

json_t *ot_mcp_failure_describe(const struct ot_mcp_failure *failure)
{
    json_t *remediation = json_array();
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
        if (strcmp(remedies[i].code, failure->code) == 0)
            json_array_append_new(remediation, json_string(remedies[i].remedy));
    }
    return json_pack("{s:s, s:o, s:o}", "code", failure->code, "message",
                     ot_mcp_text(failure->err.msg), "remediation", remediation);
}
