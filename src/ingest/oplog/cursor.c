#include "ingest/oplog/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "base/oplog.h"
#include "base/vec.h"
#include "model/backend.h"

void ot_oplog_cursor_init(struct ot_oplog_cursor *cursor, struct ot_oplog_log *log,
                          const struct ot_oplog_thread *thread, uint32_t thread_key,
                          struct ot_oplog_common *common)
{
    *cursor = (struct ot_oplog_cursor){
        .log = log,
        .thread = thread,
        .common = common,
        .like = {.backend = OT_BACKEND_PYTORCH,
                 .vpid = log->file.header.pid,
                 .vtid = thread->tid,
                 .host = ot_text_of(log->host),
                 .thread_key = thread_key},
        .span = {.from = 1}, /* holds nothing */
    };
}

/* --- times --------------------------------------------------------------------------------------
 */

static inline int64_t ns_of(struct ot_oplog_cursor *cursor, uint64_t ticks)
{
    if (__builtin_expect(ticks < cursor->span.from || ticks >= cursor->span.until, 0))
        cursor->span = *ot_oplog_clock_span(cursor->log->clock, ticks);
    return ot_oplog_span_ns(&cursor->span, ticks);
}

int64_t ot_oplog_cursor_earliest_ns(const struct ot_oplog_cursor *cursor)
{
    const struct ot_oplog_piece *first = &cursor->log->pieces[cursor->thread->first_piece];
    return ot_oplog_clock_ns(cursor->log->clock, first->base_ticks);
}

/* --- pieces -------------------------------------------------------------------------------------
 */

static int load(struct ot_oplog_cursor *cursor, const struct ot_oplog_piece *piece,
                bool *ret_is_there, struct ot_err *err)
{
    size_t n_words = piece->until - piece->from;
    free(cursor->buffer);
    cursor->buffer = malloc(offsetof(struct ot_oplog_buffer, words) + n_words * sizeof(uint64_t));
    if (!cursor->buffer)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for events");
    int code = ot_oplog_file_read(&cursor->log->file, piece->chunk, piece->from, n_words,
                                  cursor->buffer, err);
    if (code < 0)
        return code;
    ot_oplog_note_look(cursor->common, n_words * sizeof(cursor->buffer->words[0]),
                       OT_OPLOG_YIELD_EIGHTHS);
    *ret_is_there = cursor->buffer->head.kind == OT_OPLOG_CHUNK_EVENTS &&
                    cursor->buffer->head.generation == piece->generation &&
                    cursor->buffer->n_words == n_words;
    return OT_OK;
}

/* What is between the pieces that were read and this one is lost. */
static void note_gap(struct ot_oplog_cursor *cursor, const struct ot_oplog_piece *piece)
{
    uint64_t n_lost =
        piece->events_before > cursor->n_told ? piece->events_before - cursor->n_told : 0;
    if (n_lost) {
        cursor->n_discarded += n_lost;
        cursor->has_gap = cursor->n_told != 0;
        cursor->n_open = 0;
        cursor->depth = 0;
        cursor->n_open_lost = piece->open_calls;
        cursor->gap_ticks = piece->base_ticks;
    }
    cursor->n_told = piece->events_before + piece->n_events;
}

/* OT_END: there is none left. */
static int next_piece(struct ot_oplog_cursor *cursor, struct ot_err *err)
{
    while (cursor->next_piece < cursor->thread->n_pieces) {
        const struct ot_oplog_piece *piece =
            &cursor->log->pieces[cursor->thread->first_piece + cursor->next_piece++];
        bool is_there = false;
        int code = load(cursor, piece, &is_there, err);
        if (code < 0)
            return code;
        if (!is_there) {
            /* Used again, or removed, since it was found. */
            uint64_t n_until = piece->events_before + piece->n_events;
            bool is_last = cursor->next_piece == cursor->thread->n_pieces;
            if (is_last && n_until > cursor->n_told) {
                cursor->n_discarded += n_until - cursor->n_told;
                cursor->n_told = n_until;
            }
            continue;
        }
        note_gap(cursor, piece);
        cursor->base = piece->base_ticks;
        cursor->at = 0;
        cursor->n_words = cursor->buffer->n_words;
        return OT_OK;
    }
    return OT_END;
}

/* `what` is followed by the number. */
static int damage(struct ot_oplog_cursor *cursor, struct ot_err *err, const char *what,
                  uint32_t number)
{
    const struct ot_oplog_piece *piece =
        &cursor->log->pieces[cursor->thread->first_piece + cursor->next_piece - 1];
    return ot_oplog_damage(cursor->log, cursor->common, piece->chunk, piece->from + cursor->at, err,
                           "%s %u", what, number);
}

/* --- calls that other threads end ---------------------------------------------------------------
 *
 * Such an end comes at its place in time. But a thread may read the clock for an exit, and only
 * then see that another thread has just ended the call inside; by their times the two exits are
 * then the wrong way round. What tells is that a plain exit is of the newest call that is open: if
 * another thread ended that one, that was before.
 */

/* How far to look, so that a hostile log stays linear. */
enum { MAX_SEARCH = 4096 };

/* The end of a call of this thread on another one. */
static uint32_t find_end(const struct ot_oplog_cursor *cursor, uint64_t began_ticks, uint32_t name)
{
    const struct ot_oplog_end *ends = cursor->log->ends;
    const uint32_t *numbers = cursor->log->ends_by_beginning + cursor->thread->first_end;
    size_t low = 0;
    size_t high = cursor->thread->n_ends;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends[numbers[middle]].began_ticks < began_ticks)
            low = middle + 1;
        else
            high = middle;
    }
    size_t limit = low + MAX_SEARCH;
    for (; low < cursor->thread->n_ends && low < limit; low++) {
        const struct ot_oplog_end *end = &ends[numbers[low]];
        if (end->began_ticks != began_ticks)
            break;
        if (end->name == name && !end->is_told)
            return numbers[low];
    }
    return OT_OPLOG_NO_END;
}

static int push(struct ot_oplog_cursor *cursor, uint64_t ticks, uint32_t name, struct ot_err *err)
{
    if (!ot_vec_reserve(&cursor->open, &cursor->open_cap, cursor->depth + 1, sizeof(*cursor->open)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
    cursor->open[cursor->depth++] =
        (struct ot_oplog_open){ticks, name, find_end(cursor, ticks, name)};
    return OT_OK;
}

static void remove_open(struct ot_oplog_cursor *cursor, uint64_t ticks, uint32_t name)
{
    size_t lowest = cursor->depth > MAX_SEARCH ? cursor->depth - MAX_SEARCH : 0;
    for (size_t at = cursor->depth; at-- > lowest;) {
        struct ot_oplog_open *open = &cursor->open[at];
        if (open->ticks != ticks || open->name != name)
            continue;
        memmove(open, open + 1, (--cursor->depth - at) * sizeof(*open));
        return;
    }
}

/* That of the newest open call; NULL if nobody else ends it. */
static struct ot_oplog_end *overdue_end(struct ot_oplog_cursor *cursor)
{
    if (cursor->depth == 0)
        return NULL;
    uint32_t number = cursor->open[cursor->depth - 1].end;
    if (number == OT_OPLOG_NO_END || cursor->log->ends[number].is_told)
        return NULL;
    return &cursor->log->ends[number];
}

/* --- events -------------------------------------------------------------------------------------
 */

/* NULL with *ret_code for an id that it is an error to have. */
static const struct ot_oplog_call *find_call(struct ot_oplog_cursor *cursor, uint32_t id,
                                             int *ret_code, struct ot_err *err)
{
    const struct ot_oplog_call *call = ot_oplog_dict_call(&cursor->log->dict, id);
    if (__builtin_expect(call != NULL, 1))
        return call;
    if (id == OT_OPLOG_NO_ANNOTATION)
        return &cursor->common->unknown_annotation;
    if (id != OT_OPLOG_NO_NAME && !cursor->log->is_cut) {
        *ret_code = damage(cursor, err, "no name has the id", id);
        if (*ret_code < 0)
            return NULL;
    }
    return &cursor->common->unknown;
}

static inline void fill(struct ot_oplog_cursor *cursor, struct ot_event *event, uint64_t ticks,
                        const struct ot_oplog_call *call)
{
    *event = cursor->like;
    event->ts_ns = ns_of(cursor, ticks);
    event->backend = call->backend;
    event->name = call->name;
    event->overload = call->overload;
    event->name_key = call->name_id + 1;
    cursor->call = call;
    cursor->ended_on_tid = 0;
    cursor->ticks = ticks;
}

static void add_sequence(struct ot_oplog_cursor *cursor, const uint64_t *words)
{
    struct ot_event_args *args = &cursor->args;
    args->has_sequence = true;
    args->sequence = (int64_t)words[1];
    if (words[2] && words[2] != cursor->known_torch_thread) {
        cursor->known_torch_thread = words[2];
        cursor->known_tid = ot_oplog_log_tid(cursor->log, words[2]);
    }
    args->forward_thread = words[2] ? cursor->known_tid : 0;
}

static int add_shapes(struct ot_oplog_cursor *cursor, uint32_t id, struct ot_err *err)
{
    const struct ot_oplog_shapes *shapes = ot_oplog_dict_shapes(&cursor->log->dict, id);
    if (!shapes)
        return cursor->log->is_cut ? OT_OK : damage(cursor, err, "no shapes have the id", id);
    cursor->args.shapes = shapes->shapes;
    cursor->args.types = shapes->types;
    return OT_OK;
}

/* True if the next record belongs to the entry before it. */
static bool is_addition(const struct ot_oplog_cursor *cursor)
{
    if (cursor->at == cursor->n_words)
        return false;
    uint64_t word = cursor->buffer->words[cursor->at];
    unsigned record = ot_oplog_record_of(word);
    return (record == OT_OPLOG_SEQUENCE_OF || record == OT_OPLOG_SHAPES_OF) &&
           ot_oplog_record_words(word) <= cursor->n_words - cursor->at;
}

/* What belongs to an entry may have found no room in the entry's chunk. */
static int add_args(struct ot_oplog_cursor *cursor, struct ot_event *event, struct ot_err *err)
{
    const uint64_t with_additions = OT_OPLOG_SEQUENCE | OT_OPLOG_SHAPES;
    int code = OT_OK;
    if (cursor->at == cursor->n_words && cursor->log->file.header.options & with_additions)
        code = next_piece(cursor, err);
    if (code < 0 || !is_addition(cursor) || cursor->n_discarded)
        return code == OT_END ? OT_OK : code;
    cursor->args = (struct ot_event_args){0};
    event->args = &cursor->args;
    while (code == OT_OK && is_addition(cursor)) {
        const uint64_t *words = &cursor->buffer->words[cursor->at];
        if (ot_oplog_record_of(*words) == OT_OPLOG_SEQUENCE_OF)
            add_sequence(cursor, words);
        else
            code = add_shapes(cursor, ot_oplog_id_of(*words), err);
        cursor->at += ot_oplog_record_words(*words);
    }
    return code;
}

static int take_entry(struct ot_oplog_cursor *cursor, const uint64_t *words, struct ot_event *event,
                      struct ot_err *err)
{
    int code = OT_OK;
    const struct ot_oplog_call *call = find_call(cursor, ot_oplog_id_of(*words), &code, err);
    if (!call)
        return code;
    fill(cursor, event, cursor->base + ot_oplog_ticks_of(*words), call);
    event->kind = OT_EVENT_ENTRY;
    cursor->n_open++;
    cursor->at++;
    if (cursor->thread->n_ends) {
        code = push(cursor, cursor->ticks, ot_oplog_id_of(*words), err);
        if (code < 0)
            return code;
    }
    if (cursor->at == cursor->n_words || is_addition(cursor))
        return add_args(cursor, event, err);
    return OT_OK;
}

static int take_exit(struct ot_oplog_cursor *cursor, const uint64_t *words, struct ot_event *event,
                     struct ot_err *err)
{
    if (cursor->n_open == 0 && cursor->n_open_lost) {
        cursor->n_open_lost--;
        cursor->n_discarded++;
        cursor->at++;
        return OT_END;
    }
    int code = OT_OK;
    const struct ot_oplog_call *call = find_call(cursor, ot_oplog_id_of(*words), &code, err);
    if (!call)
        return code;
    fill(cursor, event, cursor->base + ot_oplog_ticks_of(*words), call);
    event->kind = OT_EVENT_EXIT;
    cursor->n_open -= cursor->n_open != 0;
    cursor->depth -= cursor->depth != 0;
    cursor->at++;
    return OT_OK;
}

/* An exit that names its entry. OT_END: that is lost. */
static int end_exactly(struct ot_oplog_cursor *cursor, uint64_t ticks, uint64_t began_ticks,
                       uint32_t id, struct ot_event *event, struct ot_err *err)
{
    if (began_ticks < cursor->gap_ticks && cursor->n_open_lost) {
        cursor->n_open_lost--;
        cursor->n_discarded++;
        return OT_END;
    }
    int code = OT_OK;
    const struct ot_oplog_call *call = find_call(cursor, id, &code, err);
    if (!call)
        return code;
    fill(cursor, event, ticks, call);
    event->kind = OT_EVENT_EXIT;
    event->ends_exactly = true;
    event->began_ns = ns_of(cursor, began_ticks);
    cursor->n_open -= cursor->n_open != 0;
    remove_open(cursor, began_ticks, id);
    return OT_OK;
}

static int take_exit_of(struct ot_oplog_cursor *cursor, const uint64_t *words,
                        struct ot_event *event, struct ot_err *err)
{
    int code = OT_END; /* a call of another thread, where it is yielded */
    if (words[1] == cursor->thread->number)
        code = end_exactly(cursor, cursor->base + ot_oplog_ticks_of(*words), words[2],
                           ot_oplog_id_of(*words), event, err);
    cursor->at += ot_oplog_record_words(*words);
    return code;
}

/* One whose entry is lost. */
static int take_addition(struct ot_oplog_cursor *cursor, const uint64_t *words,
                         struct ot_event *event, struct ot_err *err)
{
    (void)event;
    (void)err;
    cursor->at += ot_oplog_record_words(*words);
    return OT_END;
}

static int take_memory(struct ot_oplog_cursor *cursor, const uint64_t *words,
                       struct ot_event *event, struct ot_err *err)
{
    (void)err;
    uint64_t ticks = cursor->base + ot_oplog_ticks_of(*words);
    cursor->args = (struct ot_event_args){
        .has_total_allocated = true,
        .has_device_type = true,
        .has_device_id = true,
        .bytes = (int64_t)words[1],
        .total_allocated = (int64_t)words[2],
        .device_type = (int32_t)(uint32_t)words[3],
        .device_id = (int32_t)(uint32_t)(words[3] >> 32),
    };
    *event = cursor->like;
    event->kind = OT_EVENT_MEMORY;
    event->ts_ns = ns_of(cursor, ticks);
    event->args = &cursor->args;
    cursor->call = NULL;
    cursor->ended_on_tid = 0;
    cursor->ticks = ticks;
    cursor->at += ot_oplog_record_words(*words);
    return OT_OK;
}

static int take_rebase(struct ot_oplog_cursor *cursor, const uint64_t *words,
                       struct ot_event *event, struct ot_err *err)
{
    (void)event;
    (void)err;
    cursor->base = words[1];
    cursor->at += ot_oplog_record_words(*words);
    return OT_END;
}

/* OT_END: the record is no event of its own. */
static int (*const takers[16])(struct ot_oplog_cursor *, const uint64_t *, struct ot_event *,
                               struct ot_err *) = {
    [OT_OPLOG_ENTRY] = take_entry,        [OT_OPLOG_EXIT] = take_exit,
    [OT_OPLOG_EXIT_OF] = take_exit_of,    [OT_OPLOG_SEQUENCE_OF] = take_addition,
    [OT_OPLOG_SHAPES_OF] = take_addition, [OT_OPLOG_MEMORY_EVENT] = take_memory,
    [OT_OPLOG_REBASE] = take_rebase,
};

/* Of a piece, which was scanned: what cannot be was changed since. */
static int take_record(struct ot_oplog_cursor *cursor, const uint64_t *words,
                       struct ot_event *event, struct ot_err *err)
{
    unsigned record = ot_oplog_record_of(*words);
    if (__builtin_expect(record == OT_OPLOG_ENTRY, 1))
        return take_entry(cursor, words, event, err);
    if (__builtin_expect(record == OT_OPLOG_EXIT, 1))
        return take_exit(cursor, words, event, err);
    if (takers[record] && ot_oplog_record_words(*words) <= cursor->n_words - cursor->at)
        return takers[record](cursor, words, event, err);
    int code = damage(cursor, err, "what was scanned has changed: a record of kind", record);
    cursor->at = cursor->n_words;
    return code == OT_OK ? OT_END : code;
}

/* The exit on another thread that is due before the record `word`; NULL if there is none. It comes
 * when its time has come and its entry is past. `word` NULL: all records are past. */
static struct ot_oplog_end *due_end(struct ot_oplog_cursor *cursor, const uint64_t *word)
{
    if (cursor->next_end == cursor->thread->n_ends)
        return NULL;
    struct ot_oplog_end *ends = &cursor->log->ends[cursor->thread->first_end];
    while (cursor->next_end < cursor->thread->n_ends && ends[cursor->next_end].is_told)
        cursor->next_end++;
    if (cursor->next_end == cursor->thread->n_ends)
        return NULL;
    struct ot_oplog_end *end = &ends[cursor->next_end];
    if (!word)
        return end;
    unsigned record = ot_oplog_record_of(*word);
    if (record == OT_OPLOG_REBASE || record == OT_OPLOG_SEQUENCE_OF || record == OT_OPLOG_SHAPES_OF)
        return NULL; /* has no time */
    uint64_t ticks = cursor->base + ot_oplog_ticks_of(*word);
    if (end->ticks <= ticks && end->began_ticks < ticks)
        return end;
    return record == OT_OPLOG_EXIT ? overdue_end(cursor) : NULL;
}

/* Before the record `word`. */
static int take_end(struct ot_oplog_cursor *cursor, struct ot_oplog_end *end, const uint64_t *word,
                    struct ot_event *event, struct ot_err *err)
{
    uint64_t latest = word ? cursor->base + ot_oplog_ticks_of(*word) : UINT64_MAX;
    end->is_told = true;
    int code = end_exactly(cursor, end->ticks < latest ? end->ticks : latest, end->began_ticks,
                           end->name, event, err);
    if (code == OT_OK)
        cursor->ended_on_tid = end->ended_on_tid;
    return code;
}

static void tell_discarded(struct ot_oplog_cursor *cursor, struct ot_event *event)
{
    *event = cursor->like;
    event->kind = OT_EVENT_DISCARDED;
    event->ts_ns = ns_of(cursor, cursor->ticks);
    event->n_discarded = cursor->n_discarded;
    event->n_discarded_known = true;
    event->is_gap = cursor->has_gap;
    cursor->n_discarded = 0;
    cursor->has_gap = false;
}

int ot_oplog_cursor_next(struct ot_oplog_cursor *cursor, struct ot_event *ret_event,
                         struct ot_err *err)
{
    while (true) {
        if (cursor->n_discarded) {
            tell_discarded(cursor, ret_event);
            return OT_OK;
        }
        if (cursor->at == cursor->n_words) {
            int code = next_piece(cursor, err);
            if (code < 0)
                return code;
            if (code == OT_OK || cursor->n_discarded)
                continue;
        }
        const uint64_t *words =
            cursor->at < cursor->n_words ? &cursor->buffer->words[cursor->at] : NULL;
        struct ot_oplog_end *end = due_end(cursor, words);
        if (!end && !words)
            return OT_END;
        int code = end ? take_end(cursor, end, words, ret_event, err)
                       : take_record(cursor, words, ret_event, err);
        if (code != OT_END)
            return code;
    }
}

void ot_oplog_cursor_release(struct ot_oplog_cursor *cursor)
{
    if (!cursor)
        return;
    free(cursor->buffer);
    free(cursor->open);
    cursor->buffer = NULL;
    cursor->open = NULL;
}
