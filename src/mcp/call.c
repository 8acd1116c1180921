#include "mcp/call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mcp/exact.h"
#include "mcp/page.h"
#include "mcp/schema.h"

enum { MAX_SHRINKS = 64 };

/* --- before ------------------------------------------------------------------------------------
 */

static int check(struct ot_mcp_call *call, const json_t *arguments)
{
    struct ot_err *err = &call->failure.err;
    if (call->tool->writes && call->rules->opts->read_only) {
        ot_err_set(err, OT_ERR_USAGE,
                   "this server imports nothing: it was started with --read-only or --commit");
        return ot_mcp_fail(&call->failure, "read_only");
    }
    json_t *texts = json_loads(call->tool->texts, 0, NULL);
    const json_t *schema = json_object_get(texts, "inputSchema");
    call->arguments = arguments ? json_deep_copy(arguments) : json_object();
    int code = schema && call->arguments
                   ? ot_mcp_schema_check(schema, call->arguments, "the call", err)
                   : ot_err_set(err, OT_ERR_NOMEM, "out of memory");
    if (code == OT_OK)
        code = ot_mcp_schema_fill(schema, call->arguments, err);
    json_decref(texts);
    return code < 0 ? ot_mcp_fail(&call->failure, "invalid_arguments") : OT_OK;
}

int ot_mcp_call_begin(struct ot_mcp_call *call, const struct ot_mcp_rules *rules,
                      const struct ot_mcp_tool *tool, const json_t *arguments)
{
    call->rules = rules;
    call->tool = tool;
    int code = check(call, arguments);
    if (code == OT_OK)
        code = ot_mcp_command_build(&call->command, rules, tool, call->arguments, &call->failure);
    if (code < 0)
        return code;
    struct ot_text input = {call->command.input.bytes, call->command.input.len};
    code = ot_mcp_child_start(&call->child, call->command.words, input, rules->opts->timeout_ns,
                              &call->failure.err);
    return code < 0 ? ot_mcp_fail(&call->failure, "failed") : OT_OK;
}

/* --- after -------------------------------------------------------------------------------------
 */

/* JSON text with its numbers as they came. */
static char *write_exactly(const json_t *value)
{
    struct ot_str exact = {0};
    char *held = json_dumps(value, JSON_COMPACT);
    if (held)
        ot_mcp_exact_release(&exact, ot_text_of(held));
    free(held);
    if (exact.failed || !held) {
        ot_str_release(&exact);
        return NULL;
    }
    return exact.bytes;
}

static json_t *wrap(json_t *structure, bool is_error)
{
    char *text = write_exactly(structure);
    json_t *result =
        text ? json_pack("{s:[{s:s, s:s}], s:O, s:b}", "content", "type", "text", "text", text,
                         "structuredContent", structure, "isError", (int)is_error)
             : NULL;
    free(text);
    json_decref(structure);
    return result;
}

static json_t *fail(const struct ot_mcp_call *call)
{
    return wrap(ot_mcp_failure_describe(&call->failure), true);
}

/* What the verb printed, or NULL. */
static json_t *read_output(const struct ot_mcp_call *call)
{
    const struct ot_str *out = &call->child.texts[0];
    struct ot_str held = {0};
    ot_mcp_exact_hold(&held, (struct ot_text){out->bytes, out->len});
    json_t *output = held.failed ? NULL : json_loadb(held.bytes, held.len, JSON_ALLOW_NUL, NULL);
    ot_str_release(&held);
    return output;
}

/* The verb has said why as an object, as every verb does with --json; or it ended without. */
static json_t *fail_as_said(struct ot_mcp_call *call, json_t *said)
{
    /* The verb speaks of options that a caller does not have. */
    static const char less[] = "ask for less at once: fewer columns, a smaller part of the time, "
                               "a smaller offset";
    if (json_is_string(json_object_get(said, "code")) && json_object_get(said, "message")) {
        json_object_del(said, "details"); /* the inputs, which the caller has named */
        if (strcmp(json_string_value(json_object_get(said, "code")), "out_of_memory") == 0)
            json_object_set_new(said, "remediation", json_pack("[s]", less));
        return wrap(json_incref(said), true);
    }
    int status = call->child.status;
    if (WIFSIGNALED(status))
        ot_err_set(&call->failure.err, OT_ERR_IO, "optally %s was ended by signal %d",
                   call->tool->verb, WTERMSIG(status));
    else
        ot_err_set(&call->failure.err, OT_ERR_IO, "optally %s ended with status %d: %.800s",
                   call->tool->verb, WEXITSTATUS(status), ot_str_borrow(&call->child.texts[1]));
    ot_mcp_fail(&call->failure, "failed");
    return fail(call);
}

static json_t *fail_limit(struct ot_mcp_call *call)
{
    if (call->child.end == OT_MCP_TIMED_OUT) {
        ot_err_set(&call->failure.err, OT_ERR_NOMEM, "%s took longer than %" PRId64 " seconds",
                   call->tool->name, call->rules->opts->timeout_ns / 1000000000);
        ot_mcp_fail(&call->failure, "timeout");
    } else {
        ot_err_set(&call->failure.err, OT_ERR_NOMEM, "%s printed more than %d MiB",
                   call->tool->name, OT_MCP_OUTPUT_BYTES >> 20);
        ot_mcp_fail(&call->failure, "too_large");
    }
    return fail(call);
}

/* Of a tool that asks in SQL: the one row is the result. */
static json_t *unwrap(const struct ot_mcp_call *call, json_t *output)
{
    if (json_is_array(output))
        output = json_pack("{s:o}", "rows", output);
    json_t *row = json_array_get(json_object_get(output, "rows"), 0);
    if (!call->tool->is_paged || !row)
        return output;
    json_incref(row);
    json_decref(output);
    return row;
}

/* An operator that nobody has called is more likely a name that is not quite right. */
static bool is_unknown(struct ot_mcp_call *call, const json_t *result)
{
    const json_t *itself = json_object_get(result, "operator");
    const json_t *alike = json_object_get(result, "alike");
    if (!json_is_object(itself) || json_integer_value(json_object_get(itself, "calls")) > 0)
        return false;
    struct ot_str names = {0};
    size_t i;
    json_t *name;
    json_array_foreach (alike, i, name) {
        ot_str_addf(&names, "%s%s", i ? ", " : "", json_string_value(name));
    }
    ot_err_set(&call->failure.err, OT_ERR_INPUT, "no operator is called %.300s%s%.600s",
               json_string_value(json_object_get(itself, "name")), names.len ? "; there is: " : "",
               ot_str_borrow(&names));
    ot_str_release(&names);
    ot_mcp_fail(&call->failure, "unknown_operator");
    return true;
}

static json_t *compose(const struct ot_mcp_answer *answer, bool was_shrunk)
{
    return wrap(json_pack("{s:o, s:O}", "page", ot_mcp_page_describe(answer, was_shrunk), "result",
                          answer->result),
                false);
}

/* Fewer rows until it fits. */
static json_t *fit(struct ot_mcp_call *call, const struct ot_mcp_answer *answer)
{
    bool was_shrunk = false;
    ot_mcp_page_take(answer);
    for (int i = 0; i < MAX_SHRINKS; i++) {
        json_t *result = compose(answer, was_shrunk);
        size_t bytes = result ? json_dumpb(result, NULL, 0, JSON_COMPACT) : 0;
        if (bytes <= OT_MCP_RESULT_BYTES)
            return result;
        json_decref(result);
        if (!ot_mcp_page_shrink(answer, bytes, OT_MCP_RESULT_BYTES))
            break;
        was_shrunk = true;
    }
    ot_err_set(&call->failure.err, OT_ERR_NOMEM, "even one row is more than %d KiB",
               OT_MCP_RESULT_BYTES >> 10);
    ot_mcp_fail(&call->failure, "too_large");
    return fail(call);
}

static json_t *succeed(struct ot_mcp_call *call, json_t *output)
{
    struct ot_mcp_answer answer = {
        .tool = call->tool,
        .arguments = call->arguments,
        .commit = call->command.pick.commit,
        .result = unwrap(call, json_incref(output)),
    };
    json_t *result = is_unknown(call, answer.result) ? fail(call) : fit(call, &answer);
    json_decref(answer.result);
    return result;
}

json_t *ot_mcp_call_result(struct ot_mcp_call *call)
{
    if (call->failure.code)
        return fail(call);
    if (call->child.end != OT_MCP_ENDED)
        return fail_limit(call);
    json_t *output = read_output(call);
    bool is_done = WIFEXITED(call->child.status) && WEXITSTATUS(call->child.status) == 0;
    json_t *result = is_done && output ? succeed(call, output) : fail_as_said(call, output);
    json_decref(output);
    return result;
}

void ot_mcp_call_release(struct ot_mcp_call *call)
{
    ot_mcp_child_release(&call->child);
    ot_mcp_command_release(&call->command);
    json_decref(call->arguments);
    *call = (struct ot_mcp_call){0};
}
