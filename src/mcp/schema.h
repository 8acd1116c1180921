/* schema.h: arguments against the JSON Schema that the tool shows to its callers.
 *
 * So what an agent reads is what is enforced. Of JSON Schema this knows what the tools use: type,
 * enum, minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties, items,
 * properties, propertyNames, required, additionalProperties and default; the last only of the
 * outermost object.
 */
#ifndef OT_MCP_SCHEMA_H
#define OT_MCP_SCHEMA_H

#include <jansson.h>

#include "base/err.h"

/* OT_ERR_USAGE with a sentence for the caller, who names `where` so. No string may hold a NUL. */
int ot_mcp_schema_check(const json_t *schema, const json_t *value, const char *where,
                        struct ot_err *err);

/* Puts in what the schema has a default for and the arguments lack. */
int ot_mcp_schema_fill(const json_t *schema, json_t *arguments, struct ot_err *err);

#endif
