#include "mcp/message.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "mcp/exact.h"

static bool is_blank(struct ot_text line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr(" \t\r", line.bytes[i]) || line.bytes[i] == '\0')
            return false;
    }
    return true;
}

static void refuse(struct ot_mcp_message *message, enum ot_mcp_error code, const char *text)
{
    message->kind = OT_MCP_WRONG;
    message->reply = ot_mcp_reply_error(message->id, code, text, NULL);
}

static void refuse_text(struct ot_mcp_message *message, const json_error_t *fault)
{
    char text[JSON_ERROR_TEXT_LENGTH + 64];
    snprintf(text, sizeof(text), "not JSON: %s", fault->text);
    refuse(message, OT_MCP_PARSE_ERROR, text);
}

json_t *ot_mcp_text(const char *bytes)
{
    struct ot_str text = {0};
    ot_utf8_add_printable(&text, ot_text_of(bytes));
    json_t *string = text.failed ? NULL : json_string(ot_str_borrow(&text));
    ot_str_release(&text);
    return string;
}

const char *ot_mcp_string(const json_t *value)
{
    const char *string = json_string_value(value);
    bool is_one = string && strlen(string) == json_string_length(value);
    return is_one && !ot_mcp_exact_number(string) ? string : NULL;
}

/* A string or an integer, however long. */
static bool is_id(const json_t *value)
{
    if (!json_is_string(value))
        return json_is_integer(value);
    const char *number = ot_mcp_exact_number(json_string_value(value));
    return !number || !number[strspn(number, "-0123456789")];
}

/* The first of the rules that it breaks, or NULL. */
static const char *fault_of(const struct ot_mcp_message *message, const json_t *id)
{
    const char *version = json_string_value(json_object_get(message->root, "jsonrpc"));
    if (!version || strcmp(version, "2.0") != 0)
        return "\"jsonrpc\" has to be \"2.0\"";
    if (id && !message->id)
        return "\"id\" has to be a string or an integer";
    if (!message->method)
        return "\"method\" has to be a string";
    return NULL;
}

static void classify(struct ot_mcp_message *message)
{
    json_t *root = message->root;
    if (json_is_array(root)) {
        refuse(message, OT_MCP_INVALID_REQUEST, "no batches: send each message on its own line");
        return;
    }
    json_t *id = json_object_get(root, "id");
    message->id = is_id(id) ? id : NULL;
    message->method = ot_mcp_string(json_object_get(root, "method"));
    message->params = json_object_get(root, "params");
    if (!json_object_get(root, "method") &&
        (json_object_get(root, "result") || json_object_get(root, "error")))
        return;
    const char *fault = fault_of(message, id);
    if (fault)
        refuse(message, OT_MCP_INVALID_REQUEST, fault);
    else if (!message->id)
        message->kind = OT_MCP_NOTIFICATION;
    else if (message->params && !json_is_object(message->params))
        refuse(message, OT_MCP_INVALID_PARAMS, "\"params\" has to be an object");
    else
        message->kind = OT_MCP_REQUEST;
}

void ot_mcp_message_parse(struct ot_text line, struct ot_mcp_message *ret_message)
{
    *ret_message = (struct ot_mcp_message){.kind = OT_MCP_NOTHING};
    if (is_blank(line))
        return;
    json_error_t fault = {.text = "out of memory"};
    struct ot_str held = {0};
    ot_mcp_exact_hold(&held, line);
    if (!held.failed)
        ret_message->root =
            json_loadb(held.bytes, held.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &fault);
    ot_str_release(&held);
    if (!ret_message->root)
        refuse_text(ret_message, &fault);
    else
        classify(ret_message);
}

void ot_mcp_message_release(struct ot_mcp_message *message)
{
    json_decref(message->root);
    json_decref(message->reply);
    *message = (struct ot_mcp_message){0};
}

json_t *ot_mcp_reply(json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id ? id : json_null(), "result",
                     result);
}

json_t *ot_mcp_reply_error(json_t *id, enum ot_mcp_error code, const char *text, json_t *data)
{
    json_t *error = json_pack("{s:i, s:o, s:o*}", "code", (int)code, "message", ot_mcp_text(text),
                              "data", data);
    return json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id ? id : json_null(), "error",
                     error);
}
