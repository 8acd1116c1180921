#include <string.h>

#include "base/oplog.h"
#include "base/vec.h"
#include "ingest/oplog/follow_parts.h"

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for calls");
}

/* --- segments ----------------------------------------------------------------------------------
 */

/* The cursor that this thread's events last came from, if it is still there. */
static struct ot_follow_cursor *cursor_of(struct ot_follow_log *log,
                                          const struct ot_follow_thread_state *thread)
{
    for (size_t i = 0; i < log->n_cursors; i++) {
        if (log->cursors[i].thread == thread && !log->cursors[i].is_done)
            return &log->cursors[i];
    }
    return NULL;
}

/* True if all that the thread did before this segment has been taken, or cannot be had. */
static bool is_its_turn(struct ot_follow_log *log, const struct ot_follow_cursor *cursor,
                        const struct ot_follow_thread_state *thread,
                        const struct ot_oplog_segment *segment)
{
    if (!thread)
        return segment->number == 0;
    if (segment->number != thread->next_segment)
        return segment->number < thread->next_segment; /* it is late, and nobody's */
    const struct ot_follow_cursor *before = cursor_of(log, thread);
    return !before || before == cursor || before->looked == log->look;
}

static void name_thread(struct ot_follow_thread_state *thread,
                        const struct ot_oplog_segment *segment)
{
    thread->tid = segment->tid;
    memcpy(thread->name, segment->thread_name, sizeof(segment->thread_name));
    thread->name[sizeof(segment->thread_name)] = '\0';
}

/* The thread goes on here. */
static int take_segment(struct ot_follow_log *log, struct ot_follow_cursor *cursor,
                        const struct ot_oplog_segment *segment, struct ot_err *err)
{
    struct ot_follow_thread_state *thread = ot_follow_find_thread(log, segment->thread);
    cursor->thread = NULL;
    cursor->is_crowded = false;
    cursor->base = segment->base_ticks;
    if (thread && segment->number < thread->next_segment)
        return OT_OK;
    bool is_new = !thread;
    if (is_new) {
        int code = ot_follow_add_thread(log, segment, &thread, err);
        cursor->is_crowded = code == OT_END;
        if (code != OT_OK)
            return code == OT_END ? OT_OK : code;
    }
    struct ot_follow_cursor *before = cursor_of(log, thread);
    if (before)
        before->is_done = true;
    if (!is_new && segment->events_before != thread->n_events) {
        if (segment->events_before > thread->n_events)
            log->n_skipped += segment->events_before - thread->n_events;
        ot_follow_thread_forget(thread);
    }
    thread->n_events = segment->events_before;
    thread->next_segment = segment->number + 1;
    name_thread(thread, segment);
    ot_follow_note_moment(log, segment->base_ticks, segment->monotonic_ns);
    cursor->thread = thread;
    return OT_OK;
}

/* --- records -----------------------------------------------------------------------------------
 */

/* What goes on while a buffer of words is taken. */
struct taking {
    struct ot_follow_log *log;
    struct ot_follow_cursor *cursor;
    const uint64_t *word; /* of the record */
    size_t chunk_at;      /* the word's place in its chunk */
    struct ot_oplog_buffer *names;
    bool is_forced; /* the next segment is taken although it is not its turn */
    bool counts;    /* the last event was not before what counts begins */
};

static void note_event(struct taking *taking, uint64_t ticks)
{
    struct ot_follow_log *log = taking->log;
    struct ot_follow_thread_state *thread = taking->cursor->thread;
    thread->n_events++;
    thread->is_active = true;
    taking->counts = ticks >= thread->since;
    log->n_events += taking->counts;
    if (ticks > log->last_event)
        log->last_event = ticks;
}

static uint64_t ticks_of(const struct taking *taking)
{
    return taking->cursor->base + ot_oplog_ticks_of(*taking->word);
}

/* The place of the event's name, which is learnt if need be. */
static int find_place(struct taking *taking, uint32_t *ret_place, struct ot_err *err)
{
    *ret_place = ot_follow_place_of(ot_oplog_id_of(*taking->word));
    if (ot_follow_knows(taking->log, *ret_place))
        return OT_OK;
    return ot_follow_learn(taking->log, ret_place, taking->names, err);
}

static int take_entry(struct taking *taking, struct ot_err *err)
{
    struct ot_follow_log *log = taking->log;
    struct ot_follow_thread_state *thread = taking->cursor->thread;
    uint64_t ticks = ticks_of(taking);
    uint32_t place = 0;
    int code = find_place(taking, &place, err);
    if (code < 0)
        return code;
    note_event(taking, ticks);
    uint64_t ends_at = log->n_early ? ot_follow_take_early_exit(log, thread->ordinal, ticks) : 0;
    if (!ot_follow_thread_enter(thread, &log->sums, place, ticks, ends_at))
        return out_of_memory(err);
    return OT_OK;
}

static int take_exit(struct taking *taking, struct ot_err *err)
{
    struct ot_follow_log *log = taking->log;
    uint64_t ticks = ticks_of(taking);
    uint32_t place = 0;
    int code = find_place(taking, &place, err);
    if (code < 0)
        return code;
    note_event(taking, ticks);
    ot_follow_thread_leave(taking->cursor->thread, &log->sums, place, ticks);
    return OT_OK;
}

static int take_exit_of(struct taking *taking, struct ot_err *err)
{
    uint64_t ticks = ticks_of(taking);
    note_event(taking, ticks);
    if (taking->chunk_at < taking->cursor->n_foreseen)
        return OT_OK;
    return ot_follow_end_elsewhere(taking->log, (uint32_t)taking->word[1], taking->word[2], ticks,
                                   err);
}

static int take_rebase(struct taking *taking, struct ot_err *err)
{
    (void)err;
    taking->cursor->base = taking->word[1];
    return OT_OK;
}

static int take_next_segment(struct taking *taking, struct ot_err *err)
{
    struct ot_follow_cursor *cursor = taking->cursor;
    struct ot_oplog_segment segment = ot_oplog_segment_at(taking->word);
    const struct ot_follow_thread_state *thread =
        ot_follow_find_thread(taking->log, segment.thread);
    if (!taking->is_forced && !is_its_turn(taking->log, cursor, thread, &segment)) {
        cursor->segment_thread = segment.thread;
        cursor->segment_number = segment.number;
        cursor->segment_base = segment.base_ticks;
        cursor->waits = true;
        return OT_OK;
    }
    taking->is_forced = false;
    cursor->waits = false;
    return take_segment(taking->log, cursor, &segment, err);
}

/* What is not here says nothing that is shown. `is_event`: of a thread. */
static const struct {
    int (*take)(struct taking *taking, struct ot_err *err);
    bool is_event;
} takers[16] = {
    [OT_OPLOG_ENTRY] = {take_entry, true},           [OT_OPLOG_EXIT] = {take_exit, true},
    [OT_OPLOG_EXIT_OF] = {take_exit_of, true},       [OT_OPLOG_REBASE] = {take_rebase, false},
    [OT_OPLOG_SEGMENT] = {take_next_segment, false},
};

/* Takes the records of `buffer`, up to its end, to where nothing is yet, or to a segment whose turn
 * it is not. OT_ERR_DAMAGED: there is something that cannot be. */
static int take_records(struct taking *taking, const struct ot_oplog_buffer *buffer,
                        size_t *ret_words, struct ot_err *err)
{
    struct ot_follow_cursor *cursor = taking->cursor;
    size_t at = 0;
    while (at < buffer->n_words && buffer->words[at] != 0) {
        uint64_t word = buffer->words[at];
        size_t n_words = ot_oplog_record_words(word);
        size_t chunk_at = cursor->at + at;
        if (n_words == 0 || chunk_at + n_words > OT_OPLOG_CHUNK_WORDS ||
            (chunk_at == 0 && ot_oplog_record_of(word) != OT_OPLOG_SEGMENT))
            return ot_err_set(err, OT_ERR_DAMAGED, "%s: chunk %llu, word %zu: no record",
                              taking->log->file.path, (unsigned long long)cursor->chunk, chunk_at);
        if (at + n_words > buffer->n_words)
            break;
        taking->word = &buffer->words[at];
        taking->chunk_at = chunk_at;
        unsigned record = ot_oplog_record_of(word);
        if (takers[record].take && (cursor->thread || !takers[record].is_event)) {
            int code = takers[record].take(taking, err);
            if (code < 0)
                return code;
            if (cursor->waits)
                break;
        }
        taking->log->n_skipped += cursor->is_crowded && takers[record].is_event;
        if (taking->counts)
            taking->log->n_words += n_words;
        at += n_words;
    }
    *ret_words = at;
    return OT_OK;
}

/* --- looking -----------------------------------------------------------------------------------
 */

/* A ring has used the chunk for something else before we came to its end. What that has cost is
 * told by the thread's next segment. */
static void begin_again(struct ot_follow_cursor *cursor, uint32_t generation)
{
    cursor->generation = generation;
    cursor->at = 0;
    cursor->n_foreseen = 0;
    cursor->thread = NULL;
    cursor->waits = false;
}

/* Goes on in one chunk. Sets *ret_moved if others may have waited for that. */
int ot_follow_look_into(struct ot_follow_log *log, size_t index, bool is_forced,
                        struct ot_follow_room *room, bool *ret_moved, struct ot_err *err)
{
    /* Mostly a few words have come; a chunk that is new is read at once. */
    enum { FEW_WORDS = 504 };
    struct ot_oplog_buffer *buffer = &room->events;
    struct taking taking = {.log = log, .names = &room->names, .is_forced = is_forced};
    for (;;) {
        struct ot_follow_cursor *cursor = &log->cursors[index];
        size_t n = cursor->at ? FEW_WORDS : OT_OPLOG_CHUNK_WORDS;
        size_t n_taken = 0;
        cursor->waits = false;
        taking.cursor = cursor;
        int code = ot_oplog_file_read(&log->file, cursor->chunk, cursor->at, n, buffer, err);
        if (code < 0)
            return code;
        if (buffer->head.kind == OT_OPLOG_CHUNK_NAMES) {
            cursor->is_done = true;
            return ot_follow_add_name_chunk(log, cursor->chunk, err);
        }
        if (buffer->head.kind != OT_OPLOG_CHUNK_EVENTS) {
            cursor->looked = log->look;
            *ret_moved = true;
            return OT_OK;
        }
        if (buffer->head.generation != cursor->generation) {
            bool is_new = cursor->at == 0;
            begin_again(cursor, buffer->head.generation);
            if (!is_new)
                continue;
        }
        code = take_records(&taking, buffer, &n_taken, err);
        *ret_moved |= n_taken > 0;
        if (code == OT_ERR_DAMAGED) {
            ot_follow_note_damage(log, err);
            cursor->is_done = true;
            return OT_OK;
        }
        if (code < 0)
            return code;
        cursor->at += (uint32_t)n_taken;
        if (cursor->waits)
            return OT_OK;
        bool is_end = n_taken < buffer->n_words && buffer->words[n_taken] == 0;
        if (is_end || n_taken == 0 || cursor->at >= OT_OPLOG_CHUNK_WORDS)
            break;
    }
    log->cursors[index].looked = log->look;
    *ret_moved = true;
    return OT_OK;
}
