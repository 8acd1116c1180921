#include "mcp/mcp.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "mcp/call.h"
#include "mcp/exact.h"
#include "mcp/lines.h"
#include "mcp/message.h"
#include "mcp/methods.h"

/* A client that asks for more at once than this, or does not read what it asked for, has to wait.
 */
enum { MAX_WAITING = 256, UNREAD_BYTES = 4 << 20 };

struct request {
    json_t *id;
    json_t *params;
    const struct ot_mcp_tool *tool;
    bool stands_alone; /* revision 2026-07-28 */
};

struct server {
    const struct ot_mcp_opts *opts;
    struct ot_mcp_folders folders;
    struct ot_mcp_rules rules;
    int in_fd; /* -1: the client asks for nothing more */
    int out_fd;
    struct ot_mcp_lines lines;
    struct ot_str unread; /* what is to be written, from `unread_at` on */
    size_t unread_at;

    struct request waiting[MAX_WAITING]; /* calls, oldest first; the first one runs, if one does */
    size_t n_waiting;
    struct ot_mcp_call call;
    bool is_running;
};

/* --- out ---------------------------------------------------------------------------------------
 */

/* Takes the reply. */
static void send_reply(struct server *server, json_t *reply)
{
    static const char out_of_memory[] =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
        "\"message\":\"out of memory\"}}";
    char *held = reply ? json_dumps(reply, JSON_COMPACT) : NULL;
    ot_mcp_exact_release(&server->unread, ot_text_of(held ? held : out_of_memory));
    ot_str_add(&server->unread, "\n", 1);
    free(held);
    json_decref(reply);
}

/* No more than a pipe takes at once when it is ready, so that a client which does not read holds up
 * neither the pings nor the clock. */
static int write_some(struct server *server, struct ot_err *err)
{
    size_t len = server->unread.len - server->unread_at;
    ssize_t n = write(server->out_fd, server->unread.bytes + server->unread_at,
                      len < PIPE_BUF ? len : PIPE_BUF);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN
                   ? OT_OK
                   : ot_err_sys(err, OT_ERR_IO, "cannot write replies");
    server->unread_at += (size_t)n;
    if (server->unread_at == server->unread.len) {
        server->unread_at = 0;
        ot_str_clear(&server->unread);
    }
    return OT_OK;
}

static bool has_unread(const struct server *server)
{
    return server->unread.len > server->unread_at;
}

/* --- calls -------------------------------------------------------------------------------------
 */

static void request_release(struct request *request)
{
    json_decref(request->id);
    json_decref(request->params);
}

static void forget(struct server *server, size_t i)
{
    request_release(&server->waiting[i]);
    server->n_waiting--;
    memmove(&server->waiting[i], &server->waiting[i + 1],
            (server->n_waiting - i) * sizeof(server->waiting[0]));
}

static void end_call(struct server *server)
{
    ot_mcp_call_release(&server->call);
    server->is_running = false;
    forget(server, 0);
}

static void finish_call(struct server *server)
{
    const struct request *request = &server->waiting[0];
    json_t *result = ot_mcp_call_result(&server->call);
    if (result && request->stands_alone)
        result = ot_mcp_result_complete(server->opts, result, false);
    send_reply(server, result ? ot_mcp_reply(request->id, result) : NULL);
    end_call(server);
}

/* A call that cannot even begin is over at once. */
static void begin_calls(struct server *server)
{
    while (!server->is_running && server->n_waiting > 0 && !has_unread(server)) {
        const struct request *request = &server->waiting[0];
        server->is_running = true;
        int code = ot_mcp_call_begin(&server->call, &server->rules, request->tool,
                                     json_object_get(request->params, "arguments"));
        if (code < 0)
            finish_call(server);
    }
}

/* --- in ----------------------------------------------------------------------------------------
 */

static json_t *refuse(const struct ot_mcp_message *message, enum ot_mcp_error code,
                      const char *text)
{
    return ot_mcp_reply_error(message->id, code, text, NULL);
}

static bool is_waiting(const struct server *server, const json_t *id)
{
    for (size_t i = 0; i < server->n_waiting; i++) {
        if (json_equal(server->waiting[i].id, id))
            return true;
    }
    return false;
}

/* A reply, or NULL: the call waits. */
static json_t *take_call(struct server *server, const struct ot_mcp_message *message,
                         bool stands_alone)
{
    const char *name = ot_mcp_string(json_object_get(message->params, "name"));
    const json_t *arguments = json_object_get(message->params, "arguments");
    const struct ot_mcp_tool *tool = name ? ot_mcp_tool_find(name) : NULL;
    if (!tool)
        return refuse(message, OT_MCP_INVALID_PARAMS,
                      name ? "there is no tool of that name; tools/list says which there are"
                           : "\"name\" has to be the name of a tool");
    if (arguments && !json_is_object(arguments))
        return refuse(message, OT_MCP_INVALID_PARAMS, "\"arguments\" has to be an object");
    if (is_waiting(server, message->id))
        return refuse(message, OT_MCP_INVALID_REQUEST,
                      "a request with this id is not answered yet");
    if (server->n_waiting == MAX_WAITING)
        return refuse(message, OT_MCP_OVERLOADED, "too many calls wait; ask again later");
    server->waiting[server->n_waiting++] = (struct request){
        .id = json_incref(message->id),
        .params = json_incref(message->params),
        .tool = tool,
        .stands_alone = stands_alone,
    };
    return NULL;
}

static json_t *answer(struct server *server, const struct ot_mcp_message *message)
{
    const char *version = ot_mcp_version_of(message->params);
    bool stands_alone = version && ot_mcp_version_stands_alone(version);
    if (version && !stands_alone)
        return ot_mcp_reply_error(message->id, OT_MCP_UNSUPPORTED_VERSION,
                                  "requests of this revision of the protocol are not served",
                                  ot_mcp_versions_describe(version));
    if (strcmp(message->method, "tools/call") == 0)
        return take_call(server, message, stands_alone);
    const struct ot_mcp_method *method = ot_mcp_method_find(message->method);
    if (!method)
        return refuse(message, OT_MCP_METHOD_NOT_FOUND, "there is no such method");
    json_t *result =
        method->answer(&(struct ot_mcp_ask){.opts = server->opts, .params = message->params});
    if (result && stands_alone)
        result = ot_mcp_result_complete(server->opts, result, method->is_cached);
    return result ? ot_mcp_reply(message->id, result)
                  : refuse(message, OT_MCP_INTERNAL_ERROR, "out of memory");
}

/* What is cancelled gets no reply. One that is unknown, or was answered meanwhile, is nothing. */
static void cancel(struct server *server, const json_t *id)
{
    for (size_t i = 0; i < server->n_waiting && id; i++) {
        if (!json_equal(server->waiting[i].id, id))
            continue;
        if (i == 0 && server->is_running)
            end_call(server);
        else
            forget(server, i);
        return;
    }
}

static void take_message(struct server *server, struct ot_mcp_message *message)
{
    json_t *reply = NULL;
    if (message->kind == OT_MCP_REQUEST)
        reply = answer(server, message);
    else if (message->kind == OT_MCP_NOTIFICATION &&
             strcmp(message->method, "notifications/cancelled") == 0)
        cancel(server, json_object_get(message->params, "requestId"));
    else if (message->kind == OT_MCP_WRONG) {
        server->opts->host->log(server->opts->host->data, "a message was refused: it is malformed");
        reply = json_incref(message->reply);
    }
    if (reply)
        send_reply(server, reply);
}

static void take_lines(struct server *server)
{
    struct ot_text line;
    bool is_too_long;
    while (ot_mcp_lines_next(&server->lines, &line, &is_too_long)) {
        struct ot_mcp_message message = {0};
        if (is_too_long)
            send_reply(server, ot_mcp_reply_error(NULL, OT_MCP_PARSE_ERROR,
                                                  "the line is longer than 16 MiB", NULL));
        else
            ot_mcp_message_parse(line, &message);
        take_message(server, &message);
        ot_mcp_message_release(&message);
    }
}

/* --- the loop ----------------------------------------------------------------------------------
 */

enum { FD_IN, FD_OUT, FD_CHILD, N_FDS = FD_CHILD + 2 };

static int wait_for_more(struct server *server, struct pollfd fds[N_FDS], struct ot_err *err)
{
    size_t unread = server->unread.len - server->unread_at;
    fds[FD_IN] = (struct pollfd){unread < UNREAD_BYTES ? server->in_fd : -1, POLLIN, 0};
    fds[FD_OUT] = (struct pollfd){server->out_fd, unread ? POLLOUT : 0, 0};
    fds[FD_CHILD] = fds[FD_CHILD + 1] = (struct pollfd){.fd = -1};
    int timeout_ms = -1;
    if (server->is_running)
        timeout_ms = ot_mcp_child_poll(&server->call.child, &fds[FD_CHILD]);
    if (poll(fds, N_FDS, timeout_ms) >= 0 || errno == EINTR)
        return OT_OK;
    return ot_err_sys(err, OT_ERR_IO, "cannot wait for requests");
}

/* The end of the input ends its last line. */
static int take_requests(struct server *server, struct ot_err *err)
{
    int code = ot_mcp_lines_read(&server->lines, server->in_fd, err);
    if (code == OT_END) {
        server->in_fd = -1;
        code = ot_mcp_lines_add(&server->lines, ot_text_of("\n"), err);
    }
    take_lines(server);
    return code;
}

static bool has_work(const struct server *server)
{
    return server->in_fd >= 0 || server->n_waiting > 0 || has_unread(server);
}

/* OT_END: all that was asked for is answered, or nobody is there to read it. */
static int turn(struct server *server, struct ot_err *err)
{
    struct pollfd fds[N_FDS];
    int code = wait_for_more(server, fds, err);
    if (code == OT_OK && (fds[FD_OUT].revents & (POLLERR | POLLHUP | POLLNVAL)))
        return OT_END;
    if (code == OT_OK && fds[FD_IN].revents)
        code = take_requests(server, err);
    if (code == OT_OK && (fds[FD_OUT].revents & POLLOUT) && has_unread(server))
        code = write_some(server, err);
    if (code == OT_OK && server->is_running &&
        ot_mcp_child_pump(&server->call.child, &fds[FD_CHILD]))
        finish_call(server);
    if (code == OT_OK && server->unread.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for replies");
    if (code == OT_OK)
        begin_calls(server);
    return code == OT_OK && !has_work(server) ? OT_END : code;
}

static void server_release(struct server *server)
{
    ot_mcp_call_release(&server->call);
    while (server->n_waiting)
        forget(server, server->n_waiting - 1);
    ot_mcp_folders_release(&server->folders);
    ot_mcp_lines_release(&server->lines);
    ot_str_release(&server->unread);
    free(server);
}

int ot_mcp_serve(const struct ot_mcp_opts *opts, int in_fd, int out_fd, struct ot_err *err)
{
    struct server *server = calloc(1, sizeof(*server));
    if (!server)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a server");
    server->opts = opts;
    server->in_fd = in_fd;
    server->out_fd = out_fd;
    int code = ot_mcp_folders_init(&server->folders, opts->folders, opts->n_folders, err);
    server->rules = (struct ot_mcp_rules){opts, &server->folders};
    signal(SIGPIPE, SIG_IGN); /* a client that has gone is an error of write() */
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, how a child ended is not told */
    while (code == OT_OK)
        code = turn(server, err);
    server_release(server);
    return code == OT_END ? OT_OK : code;
}
