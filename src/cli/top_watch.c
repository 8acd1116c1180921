#include "cli/top_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/oplog.h"
#include "base/tick_clock.h"
#include "base/vec.h"
#include "cli/top_find.h"
#include "ingest/oplog/follow.h"
#include "stats/window.h"

struct ot_watch {
    struct ot_str folder;
    struct ot_str command;
    struct ot_follow *follow;
    struct ot_window *windows[OT_TOP_N_BY];
    struct ot_follow_poll last; /* without its arrays */
    bool has_ended;
    uint64_t n_seen; /* polls whose time has been added */

    /* The threads of the last poll whose time was added. */
    struct ot_follow_thread *threads;
    size_t n_threads;
    size_t threads_cap;
    struct ot_arena thread_texts;

    /* What is shown. */
    struct ot_top top;
    struct ot_arena texts;
    size_t caps[OT_TOP_N_BY];
    char stop_reason[128];
};

int ot_watch_open(const char *folder, uint64_t max_window_ns, uint64_t lookback_ns,
                  struct ot_watch **ret_watch, struct ot_err *err)
{
    struct ot_watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory");
    ot_str_addf(&watch->folder, "%s", folder);
    bool has_memory = true;
    for (size_t i = 0; i < OT_TOP_N_BY; i++) {
        watch->windows[i] = ot_window_new(max_window_ns);
        has_memory &= watch->windows[i] != NULL;
    }
    struct ot_follow_opts opts = {.lookback_ns = lookback_ns};
    int code = has_memory ? ot_top_check(folder, &watch->command, err)
                          : ot_err_set(err, OT_ERR_NOMEM, "out of memory for the last seconds");
    if (code == OT_OK)
        code = ot_follow_open(folder, &opts, &watch->follow, err);
    if (code < 0) {
        ot_watch_close(watch);
        return code;
    }
    *ret_watch = watch;
    return OT_OK;
}

void ot_watch_close(struct ot_watch *watch)
{
    if (!watch)
        return;
    ot_str_release(&watch->folder);
    ot_str_release(&watch->command);
    ot_follow_close(watch->follow);
    for (size_t i = 0; i < OT_TOP_N_BY; i++) {
        ot_window_free(watch->windows[i]);
        free(watch->top.by[i].rows);
    }
    free(watch->threads);
    ot_arena_release(&watch->thread_texts);
    ot_arena_release(&watch->texts);
    free(watch);
}

/* --- seeing ------------------------------------------------------------------------------------
 */

static int keep_text(struct ot_arena *arena, struct ot_text *text, struct ot_err *err)
{
    char *copy = ot_arena_copy(arena, text->bytes, text->len);
    if (!copy)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
    text->bytes = copy;
    return OT_OK;
}

static int keep_threads(struct ot_watch *watch, const struct ot_follow_poll *poll,
                        struct ot_err *err)
{
    ot_arena_release(&watch->thread_texts);
    watch->n_threads = 0;
    if (!ot_vec_reserve(&watch->threads, &watch->threads_cap, poll->n_threads + 1,
                        sizeof(*watch->threads)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    for (size_t i = 0; i < poll->n_threads; i++) {
        struct ot_follow_thread *thread = &watch->threads[i];
        *thread = poll->threads[i];
        int code = keep_text(&watch->thread_texts, &thread->host, err);
        if (code == OT_OK)
            code = keep_text(&watch->thread_texts, &thread->name, err);
        if (code == OT_OK)
            code = keep_text(&watch->thread_texts, &thread->current, err);
        if (code < 0)
            return code;
    }
    watch->n_threads = poll->n_threads;
    return OT_OK;
}

static struct ot_text key_of(const struct ot_follow_thread *thread)
{
    return (struct ot_text){(const char *)&thread->key, sizeof(thread->key)};
}

static int add_calls(struct ot_watch *watch, const struct ot_follow_poll *poll, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < poll->n_calls && code == OT_OK; i++) {
        const struct ot_follow_call *call = &poll->calls[i];
        code = ot_window_add(
            watch->windows[call->is_annotation ? OT_TOP_ANNOTATIONS : OT_TOP_OPERATORS], call->name,
            &(struct ot_window_sums){call->self_ns, call->inclusive_ns, call->n_calls}, err);
    }
    return code;
}

static int add_threads(struct ot_watch *watch, const struct ot_follow_poll *poll,
                       struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < poll->n_threads && code == OT_OK; i++) {
        const struct ot_follow_thread *thread = &poll->threads[i];
        code = ot_window_add(watch->windows[OT_TOP_THREADS], key_of(thread),
                             &(struct ot_window_sums){thread->busy_ns, 0, thread->n_calls}, err);
    }
    return code;
}

static int add_poll(struct ot_watch *watch, const struct ot_follow_poll *poll, struct ot_err *err)
{
    struct ot_window_slice slice = {poll->wall_ns, poll->n_events, poll->n_skipped,
                                    poll->grown_bytes};
    int code = OT_OK;
    for (size_t i = 0; i < OT_TOP_N_BY && code == OT_OK; i++)
        code = ot_window_begin(watch->windows[i], &slice, err);
    if (code == OT_OK)
        code = add_calls(watch, poll, err);
    if (code == OT_OK)
        code = add_threads(watch, poll, err);
    if (code == OT_OK)
        code = keep_threads(watch, poll, err);
    watch->n_seen++;
    return code;
}

int ot_watch_poll(struct ot_watch *watch, struct ot_err *err)
{
    struct ot_follow_poll poll;
    int code = ot_follow_poll(watch->follow, &poll, err);
    if (code < 0)
        return code;
    watch->last = poll;
    watch->has_ended = poll.n_processes && !poll.n_alive;
    /* When all have ended the last seconds are those before the end: no time passes any more. */
    if (watch->n_seen && watch->has_ended && !poll.n_events)
        return OT_OK;
    return add_poll(watch, &poll, err);
}

/* --- showing -----------------------------------------------------------------------------------
 */

static int make_rows(struct ot_watch *watch, enum ot_top_by by, size_t n, struct ot_err *err)
{
    struct ot_top_rows *rows = &watch->top.by[by];
    rows->n_rows = 0;
    if (!ot_vec_reserve(&rows->rows, &watch->caps[by], n + 1, sizeof(*rows->rows)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for rows");
    return OT_OK;
}

static int show_calls(struct ot_watch *watch, enum ot_top_by by, const struct ot_window_view *view,
                      struct ot_err *err)
{
    int code = make_rows(watch, by, view->n_rows, err);
    for (size_t i = 0; i < view->n_rows && code == OT_OK; i++) {
        struct ot_top_row *row = &watch->top.by[by].rows[watch->top.by[by].n_rows++];
        *row = (struct ot_top_row){
            .name = view->rows[i].key,
            .self_ns = view->rows[i].sums.self_ns,
            .inclusive_ns = view->rows[i].sums.inclusive_ns,
            .n_calls = view->rows[i].sums.n_calls,
        };
        code = keep_text(&watch->texts, &row->name, err);
    }
    return code;
}

static int show_threads(struct ot_watch *watch, struct ot_err *err)
{
    int code = make_rows(watch, OT_TOP_THREADS, watch->n_threads, err);
    for (size_t i = 0; i < watch->n_threads && code == OT_OK; i++) {
        const struct ot_follow_thread *thread = &watch->threads[i];
        struct ot_window_sums sums =
            ot_window_sums_of(watch->windows[OT_TOP_THREADS], key_of(thread));
        struct ot_top_row *row = &watch->top.by[OT_TOP_THREADS].rows[i];
        watch->top.by[OT_TOP_THREADS].n_rows++;
        *row = (struct ot_top_row){
            .name = thread->name,
            .self_ns = sums.self_ns,
            .n_calls = sums.n_calls,
            .host = thread->host,
            .current = thread->current,
            .pid = thread->pid,
            .tid = thread->tid,
        };
        watch->top.n_threads_alive += thread->lives && !watch->has_ended;
        code = keep_text(&watch->texts, &row->name, err);
        if (code == OT_OK)
            code = keep_text(&watch->texts, &row->host, err);
        if (code == OT_OK)
            code = keep_text(&watch->texts, &row->current, err);
    }
    return code;
}

static enum ot_top_state state_of(const struct ot_watch *watch)
{
    if (watch->last.n_processes == 0)
        return ot_top_is_fresh(ot_str_borrow(&watch->folder)) ? OT_TOP_WAITING : OT_TOP_ENDED;
    return watch->has_ended ? OT_TOP_ENDED : OT_TOP_RUNNING;
}

static void show_stop(struct ot_watch *watch)
{
    uint32_t reason = watch->last.stop_reason;
    snprintf(watch->stop_reason, sizeof(watch->stop_reason), "%s",
             reason == OT_OPLOG_STOP_SIZE ? "the recording has reached its --max-size"
                                          : strerror((int)reason));
    watch->top.n_stopped = watch->last.n_stopped;
    watch->top.stop_reason = ot_text_of(watch->last.n_stopped ? watch->stop_reason : "");
}

static int show_facts(struct ot_watch *watch, struct ot_err *err)
{
    struct ot_top *top = &watch->top;
    const struct ot_follow_poll *last = &watch->last;
    top->recording = (struct ot_text){ot_str_borrow(&watch->folder), watch->folder.len};
    top->command = (struct ot_text){ot_str_borrow(&watch->command), watch->command.len};
    top->host = last->n_hosts ? last->host : ot_text_of("");
    top->n_hosts = last->n_hosts;
    top->state = state_of(watch);
    int64_t until_ns = watch->has_ended ? last->last_ns : ot_tick_clock_ns(CLOCK_REALTIME);
    if (last->started_ns && until_ns > last->started_ns)
        top->elapsed_ns = until_ns - last->started_ns;
    top->n_processes = last->n_processes;
    top->n_processes_alive = last->n_alive;
    top->log_bytes = last->log_bytes;
    top->n_lost = last->n_lost;
    top->n_lost_names = last->n_lost_names;
    top->trouble = ot_text_of(last->trouble ? last->trouble : "");
    show_stop(watch);
    int code = keep_text(&watch->texts, &top->host, err);
    return code < 0 ? code : keep_text(&watch->texts, &top->trouble, err);
}

int ot_watch_view(struct ot_watch *watch, uint64_t window_ns, enum ot_top_sort sort,
                  struct ot_top **ret_top, struct ot_err *err)
{
    struct ot_top empty = {0};
    struct ot_window_view view = {0};
    for (size_t i = 0; i < OT_TOP_N_BY; i++)
        empty.by[i].rows = watch->top.by[i].rows;
    watch->top = empty;
    ot_arena_release(&watch->texts);
    int code = show_facts(watch, err);
    for (size_t by = 0; by < OT_TOP_N_BY && code == OT_OK; by++) {
        code = ot_window_view(watch->windows[by], window_ns, &view, err);
        if (code == OT_OK)
            code = by == OT_TOP_THREADS ? show_threads(watch, err)
                                        : show_calls(watch, (enum ot_top_by)by, &view, err);
    }
    if (code < 0)
        return code;
    watch->top.wall_ns = view.whole.wall_ns;
    watch->top.n_events = view.whole.n_events;
    watch->top.n_skipped = view.whole.n_skipped;
    watch->top.grown_bytes = view.whole.grown_bytes;
    ot_top_sort(&watch->top, sort);
    *ret_top = &watch->top;
    return OT_OK;
}
