#include "store/sql_watch.h"

#include <signal.h>
#include <time.h>

#include "base/tick_clock.h"

enum { TICK_NS = 20000000 };
#define NS_PER_S INT64_C(1000000000)
#define GRACE_NS NS_PER_S

bool ot_sql_watch_ends(const struct ot_sql_watch *watch)
{
    return watch->is_late || *watch->n_interrupts;
}

static void end_or_give_up(struct ot_sql_watch *watch, int64_t since_ns)
{
    duckdb_interrupt(watch->connection);
    if (watch->give_up && (since_ns >= GRACE_NS || *watch->n_interrupts > 1))
        watch->give_up(watch->context);
}

static void *look(void *context)
{
    struct ot_sql_watch *watch = context;
    int64_t began_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
    int64_t ends_ns = 0;
    pthread_mutex_lock(&watch->lock);
    while (!watch->is_done) {
        int64_t now = ot_tick_clock_ns(CLOCK_MONOTONIC);
        if (watch->timeout_ns && now - began_ns >= watch->timeout_ns)
            watch->is_late = true;
        if (ot_sql_watch_ends(watch)) {
            ends_ns = ends_ns ? ends_ns : now;
            end_or_give_up(watch, now - ends_ns);
        }
        int64_t next = now + TICK_NS;
        struct timespec until = {next / NS_PER_S, next % NS_PER_S};
        pthread_cond_timedwait(&watch->wake, &watch->lock, &until);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

static bool start_thread(struct ot_sql_watch *watch)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&watch->thread, NULL, look, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

int ot_sql_watch_start(struct ot_sql_watch *watch, struct ot_err *err)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (start_thread(watch))
        return OT_OK;
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
    return ot_err_set(err, OT_ERR_NOMEM, "no thread can be started to watch over the query");
}

void ot_sql_watch_stop(struct ot_sql_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->is_done = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
}
