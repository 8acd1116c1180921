#include "cli/sql_query.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/terminal.h"
#include "cli/verb.h"

static const int ending[] = {SIGINT, SIGTERM};
enum { N_ENDING = sizeof(ending) / sizeof(ending[0]) };

/* What a signal handler can see. */
static struct {
    const struct ot_store_api *store;
    struct ot_sql *sql;
    volatile sig_atomic_t *signal;
} running;

static void end_statement(int signal)
{
    *running.signal = signal;
    running.store->sql_interrupt(running.sql);
}

int ot_sql_query(const struct ot_store_api *store, struct ot_sql *sql, const char *statement,
                 const struct ot_sql_output *output, struct ot_sql_result *ret_result,
                 volatile sig_atomic_t *ret_signal, struct ot_err *err)
{
    struct sigaction before[N_ENDING];
    struct sigaction action = {.sa_handler = end_statement};
    running.store = store;
    running.sql = sql;
    running.signal = ret_signal;
    *ret_signal = 0;
    for (size_t i = 0; i < N_ENDING; i++)
        sigaction(ending[i], &action, &before[i]);
    int code = store->sql_run(sql, statement, output, ret_result, err);
    for (size_t i = 0; i < N_ENDING; i++)
        sigaction(ending[i], &before[i], NULL);
    return code;
}

void ot_sql_complain(const struct ot_err *err)
{
    struct ot_look look;
    ot_tty_look_stderr(&look);
    size_t first = strcspn(err->msg, "\n");
    ot_complain_of_error("sql", "%.*s", (int)first, err->msg);
    for (const char *at = err->msg + first; *at;) {
        struct ot_str line = {0};
        size_t len = strcspn(at + 1, "\n");
        ot_utf8_add_printable(&line, (struct ot_text){at + 1, len});
        ot_look_write(&look, (struct ot_text){ot_str_borrow(&line), line.len}, stderr);
        fputs(line.len ? "\n" : "", stderr);
        ot_str_release(&line);
        at += 1 + len;
    }
}
