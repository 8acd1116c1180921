#include "ingest/oplog/follow_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/tick_clock.h"
#include "base/vec.h"
#include "ingest/oplog/follow_parts.h"

enum { MAX_THREADS = 1 << 18 }; /* of one log, at a time */

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a log");
}

/* --- clock -------------------------------------------------------------------------------------
 */

void ot_follow_note_moment(struct ot_follow_log *log, uint64_t ticks, int64_t monotonic_ns)
{
    struct ot_oplog_moment moment = {.ticks = ticks, .monotonic_ns = monotonic_ns};
    /* Far from where sums of times overflow; no clock gets there. */
    if (ticks == 0 || monotonic_ns <= 0 || monotonic_ns > INT64_MAX / 4)
        return;
    if (log->first.ticks == 0 || ticks < log->first.ticks)
        log->first = moment;
    if (ticks > log->last.ticks)
        log->last = moment;
}

void ot_follow_note_damage(struct ot_follow_log *log, const struct ot_err *err)
{
    log->damage = *err;
}

static void note_header(struct ot_follow_log *log)
{
    const struct ot_oplog_header *header = &log->file.header;
    const struct ot_oplog_moment *moments[] = {&header->loaded, &header->opened, &header->closed};
    for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
        ot_follow_note_moment(log, moments[i]->ticks, moments[i]->monotonic_ns);
}

double ot_follow_log_tick_ns(const struct ot_follow_log *log)
{
    if (log->file.header.clock == OT_OPLOG_CLOCK_MONOTONIC)
        return 1;
    if (log->last.ticks <= log->first.ticks || log->last.monotonic_ns <= log->first.monotonic_ns)
        return 0;
    return (double)(log->last.monotonic_ns - log->first.monotonic_ns) /
           (double)(log->last.ticks - log->first.ticks);
}

int64_t ot_follow_log_ns(const struct ot_follow_log *log, uint64_t ticks)
{
    double from_last = ticks >= log->last.ticks ? (double)(ticks - log->last.ticks)
                                                : -(double)(log->last.ticks - ticks);
    double ns = from_last * ot_follow_log_tick_ns(log);
    if (ns > 1e18 || ns < -1e18)
        return log->last.monotonic_ns;
    return log->last.monotonic_ns + (int64_t)ns;
}

uint64_t ot_follow_log_ticks(const struct ot_follow_log *log, int64_t monotonic_ns)
{
    double tick_ns = ot_follow_log_tick_ns(log);
    if (tick_ns <= 0)
        return 0;
    double ticks = (double)(monotonic_ns - log->last.monotonic_ns) / tick_ns;
    if (ticks < 0)
        return -ticks < (double)log->last.ticks ? log->last.ticks - (uint64_t)-ticks : 0;
    return ticks < 1e18 ? log->last.ticks + (uint64_t)ticks : UINT64_MAX;
}

/* --- threads -----------------------------------------------------------------------------------
 */

/* Where the thread is, or would be. */
static size_t place_of_thread(const struct ot_follow_log *log, uint32_t ordinal)
{
    size_t low = 0;
    size_t high = log->n_threads;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->threads[middle]->ordinal < ordinal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ot_follow_thread_state *ot_follow_find_thread(const struct ot_follow_log *log,
                                                     uint32_t ordinal)
{
    size_t at = place_of_thread(log, ordinal);
    bool found = at < log->n_threads && log->threads[at]->ordinal == ordinal;
    return found ? log->threads[at] : NULL;
}

int ot_follow_add_thread(struct ot_follow_log *log, const struct ot_oplog_segment *segment,
                         struct ot_follow_thread_state **ret, struct ot_err *err)
{
    if (log->n_threads >= MAX_THREADS)
        return OT_END;
    struct ot_follow_thread_state *thread = ot_follow_thread_new(segment, log->since);
    if (!thread || !ot_vec_reserve(&log->threads, &log->threads_cap, log->n_threads + 1,
                                   sizeof(struct ot_follow_thread_state *))) {
        ot_follow_thread_free(thread);
        return out_of_memory(err);
    }
    size_t at = place_of_thread(log, segment->thread);
    memmove(&log->threads[at + 1], &log->threads[at],
            (log->n_threads - at) * sizeof(struct ot_follow_thread_state *));
    log->threads[at] = thread;
    log->n_threads++;
    *ret = thread;
    return OT_OK;
}

static void remove_thread(struct ot_follow_log *log, size_t at)
{
    struct ot_follow_thread_state *thread = log->threads[at];
    for (size_t i = 0; i < log->n_cursors; i++) {
        if (log->cursors[i].thread == thread)
            log->cursors[i].thread = NULL;
    }
    log->n_threads--;
    memmove(&log->threads[at], &log->threads[at + 1],
            (log->n_threads - at) * sizeof(struct ot_follow_thread_state *));
    ot_follow_thread_free(thread);
}

void ot_follow_log_forget_threads(struct ot_follow_log *log)
{
    for (size_t at = log->n_threads; at-- > 0;) {
        if (!log->threads[at]->lives && !log->threads[at]->is_active)
            remove_thread(log, at);
    }
}

/* --- cursors -----------------------------------------------------------------------------------
 */

int ot_follow_add_cursor(struct ot_follow_log *log, uint64_t chunk, struct ot_err *err)
{
    if (!ot_vec_reserve(&log->cursors, &log->cursors_cap, log->n_cursors + 1,
                        sizeof(*log->cursors)))
        return out_of_memory(err);
    log->cursors[log->n_cursors++] = (struct ot_follow_cursor){.chunk = chunk};
    return OT_OK;
}

int ot_follow_note_old_chunk(struct ot_follow_log *log, uint64_t chunk, uint32_t generation,
                             struct ot_err *err)
{
    if (!(log->file.header.options & OT_OPLOG_RING))
        return OT_OK;
    if (!ot_vec_reserve(&log->old, &log->old_cap, log->n_old + 1, sizeof(*log->old)))
        return out_of_memory(err);
    log->old[log->n_old++] = (struct ot_follow_old_chunk){chunk, generation};
    return OT_OK;
}

/* Those that are done; in a ring they are then among those that may be used again. */
static int drop_done_cursors(struct ot_follow_log *log, struct ot_err *err)
{
    size_t n_kept = 0;
    int code = OT_OK;
    for (size_t i = 0; i < log->n_cursors; i++) {
        struct ot_follow_cursor *cursor = &log->cursors[i];
        if (!cursor->is_done)
            log->cursors[n_kept++] = *cursor;
        else if (code == OT_OK)
            code = ot_follow_note_old_chunk(log, cursor->chunk, cursor->generation, err);
    }
    log->n_cursors = n_kept;
    return code;
}

/* --- looking -----------------------------------------------------------------------------------
 */

/* The one that waits at the earliest segment; -1: none waits. */
static int64_t first_that_waits(const struct ot_follow_log *log)
{
    int64_t first = -1;
    for (size_t i = 0; i < log->n_cursors; i++) {
        const struct ot_follow_cursor *cursor = &log->cursors[i];
        if (cursor->waits && !cursor->is_done &&
            (first < 0 || cursor->segment_base < log->cursors[first].segment_base))
            first = (int64_t)i;
    }
    return first;
}

/* Until every cursor has come to its end. Whoever waits for what nobody has is let through. */
static int take_all(struct ot_follow_log *log, struct ot_follow_room *room, struct ot_err *err)
{
    for (;;) {
        bool moved = false;
        int code = OT_OK;
        for (size_t i = 0; i < log->n_cursors && code == OT_OK; i++) {
            struct ot_follow_cursor *cursor = &log->cursors[i];
            if (!cursor->is_done && cursor->looked != log->look)
                code = ot_follow_look_into(log, i, false, room, &moved, err);
        }
        int64_t waiting = first_that_waits(log);
        if (code < 0 || waiting < 0)
            return code;
        if (!moved)
            code = ot_follow_look_into(log, (size_t)waiting, true, room, &moved, err);
        if (code < 0)
            return code;
    }
}

int ot_follow_log_look(struct ot_follow_log *log, uint64_t since, size_t max_chunks,
                       struct ot_follow_room *room, struct ot_err *err)
{
    log->look++;
    log->since = since;
    log->n_refreshes = 0;
    ot_follow_forget_early_exits(log);
    int code = ot_follow_discover(log, max_chunks, &room->events, err);
    if (code == OT_OK)
        code = ot_follow_make_sums(log, OT_FOLLOW_NAMES, err);
    if (code == OT_OK)
        code = ot_follow_look_ahead(log, &room->events, err);
    if (code == OT_OK)
        code = take_all(log, room, err);
    return code < 0 ? code : drop_done_cursors(log, err);
}

void ot_follow_log_note_now(struct ot_follow_log *log)
{
    enum ot_oplog_clock_kind kind = (enum ot_oplog_clock_kind)log->file.header.clock;
    if (!log->has_our_clock)
        return;
    struct ot_oplog_moment now = ot_tick_clock_moment(kind);
    ot_follow_note_moment(log, now.ticks, now.monotonic_ns);
}

void ot_follow_log_begin_anew(struct ot_follow_log *log)
{
    struct ot_follow_sums *sums = &log->sums;
    for (size_t i = 0; i < sums->n_touched; i++) {
        struct ot_follow_sum *sum = &sums->items[sums->touched[i]];
        sum->self_ticks = sum->inclusive_ticks = sum->n_calls = 0;
        sum->is_touched = false;
    }
    sums->n_touched = 0;
    for (size_t i = 0; i < log->n_threads; i++) {
        log->threads[i]->busy_ticks = log->threads[i]->n_calls = 0;
        log->threads[i]->is_active = false;
    }
    log->n_events = log->n_skipped = log->n_words = 0;
    ot_follow_forget_texts(log);
}

int ot_follow_log_open(struct ot_follow_log *log, const char *path, struct ot_err *err)
{
    *log = (struct ot_follow_log){0};
    int code = ot_oplog_file_open(&log->file, path, err);
    if (code < 0)
        return code;
    uint32_t kind = log->file.header.clock;
    log->has_our_clock =
        ot_oplog_is_of_this_boot(&log->file.header) &&
        (kind == OT_OPLOG_CLOCK_MONOTONIC || kind == (uint32_t)ot_tick_clock_choose());
    note_header(log);
    return OT_OK;
}

int ot_follow_log_refresh(struct ot_follow_log *log, struct ot_err *err)
{
    int code = ot_oplog_file_look(&log->file, err);
    if (code < 0)
        return code;
    note_header(log);
    return OT_OK;
}

void ot_follow_log_close(struct ot_follow_log *log)
{
    if (!log)
        return;
    ot_oplog_file_close(&log->file);
    ot_names_release(&log->texts);
    free(log->sums.items);
    free(log->sums.touched);
    free(log->names);
    free(log->cursors);
    free(log->old);
    for (size_t i = 0; i < log->n_threads; i++)
        ot_follow_thread_free(log->threads[i]);
    free(log->threads);
    free(log->early);
    *log = (struct ot_follow_log){0};
}
