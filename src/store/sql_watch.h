/* sql_watch.h: a thread that ends a statement of DuckDB's when its time is up, or someone says so.
 *
 * DuckDB forgets an interrupt that comes before the statement runs, so it is told again and again.
 * One per connection, which nobody closes meanwhile.
 */
#ifndef OT_STORE_SQL_WATCH_H
#define OT_STORE_SQL_WATCH_H

#include <duckdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct ot_sql_watch {
    duckdb_connection connection;
    const atomic_uint *n_interrupts; /* by who else has it; borrowed */
    int64_t timeout_ns;              /* 0: none */
    /* A second after it should have ended, or at the second interrupt; it has not. NULL: none */
    void (*give_up)(void *context);
    void *context;
    atomic_bool is_late;
    atomic_bool is_done;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/* The first five are set. OT_ERR_NOMEM: there is no thread to be had. */
int ot_sql_watch_start(struct ot_sql_watch *watch, struct ot_err *err);
void ot_sql_watch_stop(struct ot_sql_watch *watch);

/* The statement has to end. */
bool ot_sql_watch_ends(const struct ot_sql_watch *watch);

#endif
