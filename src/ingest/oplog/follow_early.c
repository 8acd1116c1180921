#include <stdlib.h>

#include "base/oplog.h"
#include "base/vec.h"
#include "ingest/oplog/follow_parts.h"

/* Ends that are known before the calls are. Those found by looking ahead are in order, so that an
 * entry finds its own among many; a few that came later lie behind them. */
enum { MAX_EARLY = 1 << 17, MAX_UNSORTED = 256 };

static int by_entry(const void *a, const void *b)
{
    const struct ot_follow_early_exit *x = a;
    const struct ot_follow_early_exit *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static void sort(struct ot_follow_log *log)
{
    if (log->n_early)
        qsort(log->early, log->n_early, sizeof(*log->early), by_entry);
    log->n_early_sorted = log->n_early;
}

int ot_follow_end_elsewhere(struct ot_follow_log *log, uint32_t ordinal, uint64_t entry,
                            uint64_t ticks, struct ot_err *err)
{
    struct ot_follow_thread_state *thread = ot_follow_find_thread(log, ordinal);
    if (thread && ot_follow_thread_leave_exactly(thread, &log->sums, entry, ticks))
        return OT_OK;
    /* What had begun before we looked is not known, and never will be. */
    if (entry < log->since || log->n_early >= MAX_EARLY)
        return OT_OK;
    if (!ot_vec_reserve(&log->early, &log->early_cap, log->n_early + 1, sizeof(*log->early)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for calls");
    log->early[log->n_early++] = (struct ot_follow_early_exit){
        .thread = ordinal, .entry = entry, .ticks = ticks, .look = log->look};
    if (!log->is_looking_ahead && log->n_early - log->n_early_sorted > MAX_UNSORTED)
        sort(log);
    return OT_OK;
}

static struct ot_follow_early_exit *find(const struct ot_follow_log *log, uint32_t ordinal,
                                         uint64_t entry)
{
    struct ot_follow_early_exit key = {.thread = ordinal, .entry = entry};
    if (log->n_early_sorted) {
        struct ot_follow_early_exit *found =
            bsearch(&key, log->early, log->n_early_sorted, sizeof(*log->early), by_entry);
        if (found)
            return found;
    }
    for (size_t i = log->n_early_sorted; i < log->n_early; i++) {
        if (by_entry(&log->early[i], &key) == 0)
            return &log->early[i];
    }
    return NULL;
}

uint64_t ot_follow_take_early_exit(struct ot_follow_log *log, uint32_t ordinal, uint64_t entry)
{
    struct ot_follow_early_exit *found = find(log, ordinal, entry);
    if (!found)
        return 0;
    uint64_t ticks = found->ticks;
    found->ticks = 0; /* it goes at the next look */
    return ticks;
}

void ot_follow_forget_early_exits(struct ot_follow_log *log)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < log->n_early; i++) {
        if (log->early[i].ticks && log->early[i].look + 1 >= log->look)
            log->early[n_kept++] = log->early[i];
    }
    log->n_early = n_kept;
    sort(log);
}

/* --- looking ahead -----------------------------------------------------------------------------
 */

/* Notes the ends in `buffer`, which begins at the cursor. What cannot be is found again when it is
 * taken. */
static int foresee(struct ot_follow_log *log, struct ot_follow_cursor *cursor,
                   const struct ot_oplog_buffer *buffer, struct ot_err *err)
{
    uint64_t base = cursor->base;
    size_t at = 0;
    int code = OT_OK;
    while (at < buffer->n_words && buffer->words[at] != 0 && code == OT_OK) {
        const uint64_t *word = &buffer->words[at];
        size_t n_words = ot_oplog_record_words(*word);
        if (n_words == 0 || at + n_words > buffer->n_words)
            break;
        unsigned record = ot_oplog_record_of(*word);
        if (record == OT_OPLOG_SEGMENT)
            base = ot_oplog_segment_at(word).base_ticks;
        else if (record == OT_OPLOG_REBASE)
            base = word[1];
        else if (record == OT_OPLOG_EXIT_OF)
            code = ot_follow_end_elsewhere(log, (uint32_t)word[1], word[2],
                                           base + ot_oplog_ticks_of(*word), err);
        at += n_words;
    }
    cursor->n_foreseen = cursor->at + (uint32_t)at;
    return code;
}

int ot_follow_look_ahead(struct ot_follow_log *log, struct ot_oplog_buffer *buffer,
                         struct ot_err *err)
{
    uint64_t n_exits_of = log->file.header.n_exits_of;
    int code = OT_OK;
    if (n_exits_of == log->n_exits_of)
        return OT_OK;
    log->n_exits_of = n_exits_of;
    log->is_looking_ahead = true;
    for (size_t i = 0; i < log->n_cursors && code == OT_OK; i++) {
        struct ot_follow_cursor *cursor = &log->cursors[i];
        code = ot_oplog_file_read(&log->file, cursor->chunk, cursor->at, OT_OPLOG_CHUNK_WORDS,
                                  buffer, err);
        bool is_same = cursor->at == 0 || buffer->head.generation == cursor->generation;
        if (code == OT_OK && buffer->head.kind == OT_OPLOG_CHUNK_EVENTS && is_same) {
            cursor->generation = buffer->head.generation;
            code = foresee(log, cursor, buffer, err);
        }
    }
    log->is_looking_ahead = false;
    sort(log);
    return code;
}
