/* page.h: from what a command printed to a result of bounded size that says what it leaves out.
 *
 * A list is an object with `rows` (or `runs`), their `total` (or `total_rows`), `returned` and
 * `truncated`. Rows go from its end, never from what was counted.
 */
#ifndef OT_MCP_PAGE_H
#define OT_MCP_PAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "mcp/tools.h"

struct ot_mcp_answer {
    const struct ot_mcp_tool *tool;
    json_t *arguments;  /* of the call, with defaults */
    const char *commit; /* "": none was asked */
    json_t *result;     /* as the command printed it; changed */
};

/* Passes by what `offset` says and keeps to `limit`. */
void ot_mcp_page_take(const struct ot_mcp_answer *answer);

/* Takes rows away, so that an answer of `bytes` gets down to about `max_bytes`. False: there is
 * nothing left that could go. */
bool ot_mcp_page_shrink(const struct ot_mcp_answer *answer, size_t bytes, size_t max_bytes);

/* What is shown, what there is, and how to get the rest. NULL when memory is out. */
json_t *ot_mcp_page_describe(const struct ot_mcp_answer *answer, bool was_shrunk);

#endif
