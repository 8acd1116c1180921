/* fuzz_mcp.c: any bytes as what a client of the protocol sends. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "mcp/exact.h"
#include "mcp/lines.h"
#include "mcp/message.h"
#include "mcp/schema.h"
#include "mcp/tools.h"

/* What was parsed can be written, its numbers released, and parsed again to the same. */
static void check_numbers(const json_t *value)
{
    struct ot_str exact = {0};
    struct ot_str held = {0};
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    OT_FUZZ_CHECK(text);
    ot_mcp_exact_release(&exact, ot_text_of(text));
    ot_mcp_exact_hold(&held, (struct ot_text){exact.bytes, exact.len});
    json_t *again =
        json_loadb(ot_str_borrow(&held), held.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    OT_FUZZ_CHECK(again && json_equal(value, again));
    json_decref(again);
    free(text);
    ot_str_release(&exact);
    ot_str_release(&held);
}

static void check_message(const struct ot_mcp_message *message)
{
    OT_FUZZ_CHECK((message->kind == OT_MCP_WRONG) == (message->reply != NULL));
    OT_FUZZ_CHECK(message->kind != OT_MCP_REQUEST || (message->id && message->method));
    if (message->root)
        check_numbers(message->root);
    const json_t *arguments = json_object_get(message->params, "arguments");
    for (size_t i = 0; i < ot_mcp_n_tools && json_is_object(arguments); i++) {
        struct ot_err err;
        json_t *texts = json_loads(ot_mcp_tools[i].texts, 0, NULL);
        ot_mcp_schema_check(json_object_get(texts, "inputSchema"), arguments, "the call", &err);
        json_decref(texts);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct ot_mcp_lines lines = {0};
    struct ot_text line;
    bool is_too_long;
    OT_FUZZ_CHECK(ot_mcp_lines_add(&lines, (struct ot_text){(const char *)data, len}, NULL) ==
                  OT_OK);
    while (ot_mcp_lines_next(&lines, &line, &is_too_long)) {
        struct ot_mcp_message message;
        OT_FUZZ_CHECK(!memchr(line.bytes, '\n', line.len));
        ot_mcp_message_parse(line, &message);
        check_message(&message);
        ot_mcp_message_release(&message);
    }
    ot_mcp_lines_release(&lines);
    return 0;
}
