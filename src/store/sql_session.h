/* sql_session.h: queries over one commit of a store; the functions are those of store.h. */
#ifndef OT_STORE_SQL_SESSION_H
#define OT_STORE_SQL_SESSION_H

#include "store/store.h"

int ot_sql_open(const struct ot_sql_view *view, const struct ot_sql_limits *limits,
                struct ot_sql **ret_sql, struct ot_err *err);
int ot_sql_run(struct ot_sql *sql, const char *statement, const struct ot_sql_output *output,
               struct ot_sql_result *ret_result, struct ot_err *err);
void ot_sql_interrupt(struct ot_sql *sql);
void ot_sql_close(struct ot_sql *sql);

#endif
