/* queries.h: statements for tools that ask the store in SQL.
 *
 * Each answers one row, whose columns are the members of the tool's result; of what is a list the
 * total is counted beside. Texts of the caller are literals.
 */
#ifndef OT_MCP_QUERIES_H
#define OT_MCP_QUERIES_H

#include "mcp/tools.h"

/* OT_ERR_USAGE: arguments that exclude each other, in words for the caller. */
int ot_mcp_ask_sql(const struct ot_mcp_question *question, struct ot_str *sql, struct ot_err *err);
int ot_mcp_ask_window(const struct ot_mcp_question *question, struct ot_str *sql,
                      struct ot_err *err);
int ot_mcp_ask_callers(const struct ot_mcp_question *question, struct ot_str *sql,
                       struct ot_err *err);

#endif
