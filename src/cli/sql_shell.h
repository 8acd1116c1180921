/* sql_shell.h: `optally sql` on a terminal: a prompt, and a statement at a time. */
#ifndef OT_CLI_SQL_SHELL_H
#define OT_CLI_SQL_SHELL_H

#include <signal.h>

#include "base/err.h"
#include "emit/grid/look.h"
#include "store/store.h"

struct ot_sql_shell {
    const struct ot_store_api *store;
    struct ot_sql *sql;
    const struct ot_sql_view *view;
    struct ot_sql_output output;   /* to stdout; no Parquet */
    volatile sig_atomic_t *signal; /* that has come while the last statement ran */
};

/* Until its user leaves. */
int ot_sql_shell(const struct ot_sql_shell *shell, struct ot_err *err);

#endif
