/* exact.h: numbers that pass through a JSON library without a change.
 *
 * The library holds 64-bit integers and doubles. Sums of SQL can be wider, and a double that is
 * printed again has other digits than before. So before the text is parsed, each number that could
 * change becomes a string with a mark in front, and after it is written the mark and the quotes go.
 * A string that has the mark itself gets a second one meanwhile.
 */
#ifndef OT_MCP_EXACT_H
#define OT_MCP_EXACT_H

#include <stdbool.h>

#include "base/str.h"
#include "base/text.h"

/* Of text that is no JSON, whatever comes; a parser will say so. */
void ot_mcp_exact_hold(struct ot_str *str, struct ot_text json);

/* Of a parsed string: the digits of the number that it stands for, valid as long as it is; NULL if
 * it stands for itself. */
const char *ot_mcp_exact_number(const char *string);

/* A parsed string that is not what the text had: it stands for a number, or begins with U+0001. */
bool ot_mcp_exact_has_mark(const char *string);

/* Of text that a JSON library wrote. */
void ot_mcp_exact_release(struct ot_str *str, struct ot_text json);

#endif
