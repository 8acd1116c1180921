/* sql_query.h: one statement of `optally sql`, which Ctrl-C ends. */
#ifndef OT_CLI_SQL_QUERY_H
#define OT_CLI_SQL_QUERY_H

#include <signal.h>

#include "base/err.h"
#include "store/store.h"

/* As store->sql_run(). SIGINT and SIGTERM end the statement and not the process: `ret_signal` gets
 * the one that came, when it comes, or 0. */
int ot_sql_query(const struct ot_store_api *store, struct ot_sql *sql, const char *statement,
                 const struct ot_sql_output *output, struct ot_sql_result *ret_result,
                 volatile sig_atomic_t *ret_signal, struct ot_err *err);

/* Says on stderr what went wrong, with the lines below the first that show the place. */
void ot_sql_complain(const struct ot_err *err);

#endif
