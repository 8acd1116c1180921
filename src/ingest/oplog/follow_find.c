#include <stdlib.h>

#include "base/oplog.h"
#include "base/vec.h"
#include "ingest/oplog/follow_parts.h"

/* Chunks that were there before: so many at the first look, so many more at each later one. */
enum { FIRST_SCAN = 1 << 14, LATER_SCAN = 1 << 11 };

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for chunks");
}

/* A chunk and the segment that it begins with. */
struct found {
    uint64_t chunk;
    uint32_t generation;
    struct ot_oplog_segment segment;
};

struct finds {
    struct found *items;
    size_t n;
    size_t cap;
};

static int by_turn(const void *a, const void *b)
{
    const struct ot_oplog_segment *x = &((const struct found *)a)->segment;
    const struct ot_oplog_segment *y = &((const struct found *)b)->segment;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_time(const void *a, const void *b)
{
    const struct ot_oplog_segment *x = &((const struct found *)a)->segment;
    const struct ot_oplog_segment *y = &((const struct found *)b)->segment;
    return (x->base_ticks > y->base_ticks) - (x->base_ticks < y->base_ticks);
}

/* Looks at the beginning of a chunk. What is not ready yet gets a cursor, to be asked again. */
static int find_chunk(struct ot_follow_log *log, uint64_t chunk, struct finds *finds,
                      struct ot_oplog_buffer *buffer, struct ot_err *err)
{
    int code = ot_oplog_file_read(&log->file, chunk, 0, OT_OPLOG_SEGMENT_WORDS, buffer, err);
    if (code < 0)
        return code;
    if (buffer->head.kind == OT_OPLOG_CHUNK_NAMES)
        return ot_follow_add_name_chunk(log, chunk, err);
    if (buffer->head.kind != OT_OPLOG_CHUNK_EVENTS || buffer->n_words < OT_OPLOG_SEGMENT_WORDS ||
        ot_oplog_record_of(buffer->words[0]) != OT_OPLOG_SEGMENT)
        return ot_follow_add_cursor(log, chunk, err);
    if (!ot_vec_reserve(&finds->items, &finds->cap, finds->n + 1, sizeof(*finds->items)))
        return out_of_memory(err);
    finds->items[finds->n++] =
        (struct found){chunk, buffer->head.generation, ot_oplog_segment_at(buffer->words)};
    return OT_OK;
}

/* Chunks that were handed out since. */
static int find_new(struct ot_follow_log *log, struct finds *finds, struct ot_oplog_buffer *buffer,
                    struct ot_err *err)
{
    uint64_t n_chunks = ot_oplog_file_chunks(&log->file);
    bool is_ring = log->file.header.options & OT_OPLOG_RING;
    /* In a ring any chunk may be the newest. */
    if (log->look == 1 && !is_ring) {
        log->n_unseen = n_chunks > FIRST_SCAN ? n_chunks - FIRST_SCAN : 0;
        log->n_scanned = log->n_unseen;
    }
    int code = OT_OK;
    for (; log->n_scanned < n_chunks && code == OT_OK; log->n_scanned++)
        code = find_chunk(log, log->n_scanned, finds, buffer, err);
    return code;
}

/* A few of those that were there before us: threads that do little are still in an old one. */
static int find_unseen(struct ot_follow_log *log, struct finds *finds,
                       struct ot_oplog_buffer *buffer, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < LATER_SCAN && log->n_unseen && code == OT_OK; i++)
        code = find_chunk(log, --log->n_unseen, finds, buffer, err);
    return code;
}

/* A ring uses those again that ended first; once some that follow each other are as they were, so
 * are the rest. */
static int find_used_again(struct ot_follow_log *log, struct finds *finds,
                           struct ot_oplog_buffer *buffer, struct ot_err *err)
{
    enum { ENOUGH = 64 };
    size_t n_same = 0;
    size_t n_kept = 0;
    int code = OT_OK;
    for (size_t i = 0; i < log->n_old; i++) {
        struct ot_follow_old_chunk old = log->old[i];
        struct ot_oplog_chunk head = {.kind = OT_OPLOG_CHUNK_EVENTS, .generation = old.generation};
        if (n_same < ENOUGH && code == OT_OK)
            code = ot_oplog_file_head(&log->file, old.chunk, &head, err);
        bool is_same =
            head.kind == OT_OPLOG_CHUNK_UNUSED || head.generation == old.generation || code < 0;
        n_same = is_same ? n_same + 1 : 0;
        if (is_same)
            log->old[n_kept++] = old;
        else
            code = find_chunk(log, old.chunk, finds, buffer, err);
    }
    log->n_old = n_kept;
    return code;
}

static bool is_last_of_thread(const struct finds *finds, size_t i)
{
    return i + 1 == finds->n ||
           finds->items[i + 1].segment.thread != finds->items[i].segment.thread;
}

/* True if the thread's next segment begins only after what counts begins. */
static bool is_in_time(const struct ot_follow_log *log, const struct finds *finds, size_t i)
{
    return is_last_of_thread(finds, i) || finds->items[i + 1].segment.base_ticks >= log->since;
}

static bool is_late(const struct ot_follow_log *log, const struct found *found)
{
    const struct ot_follow_thread_state *thread = ot_follow_find_thread(log, found->segment.thread);
    return thread && found->segment.number < thread->next_segment;
}

/* The base of the newest `max` finds; 0 if there are no more than that. */
static uint64_t base_of_newest(struct finds *finds, size_t max)
{
    if (finds->n <= max)
        return 0;
    qsort(finds->items, finds->n, sizeof(*finds->items), by_time);
    return finds->items[finds->n - max].segment.base_ticks;
}

/* A find in time that is left out. What a thread that is known has done in it is counted when the
 * thread goes on. */
static void count_left_out(struct ot_follow_log *log, const struct finds *finds, size_t i)
{
    const struct ot_oplog_segment *segment = &finds->items[i].segment;
    uint64_t events_after = finds->items[i + 1].segment.events_before;
    if (!ot_follow_find_thread(log, segment->thread) && events_after > segment->events_before)
        log->n_skipped += events_after - segment->events_before;
}

/* A cursor for each find that is worth it, thread by thread in the order of their segments. Where
 * there are too many the oldest are left out. */
static int choose_finds(struct ot_follow_log *log, struct finds *finds, size_t max_chunks,
                        struct ot_err *err)
{
    uint64_t oldest = base_of_newest(finds, max_chunks);
    size_t n_old = 0;
    int code = OT_OK;
    if (finds->n == 0)
        return OT_OK;
    qsort(finds->items, finds->n, sizeof(*finds->items), by_turn);
    for (size_t i = 0; i < finds->n && code == OT_OK; i++) {
        struct found *found = &finds->items[i];
        bool is_wanted = is_in_time(log, finds, i) && !is_late(log, found);
        bool is_left_out = !is_last_of_thread(finds, i) && found->segment.base_ticks < oldest;
        if (is_wanted && is_left_out)
            count_left_out(log, finds, i);
        if (is_wanted && !is_left_out)
            code = ot_follow_add_cursor(log, found->chunk, err);
        else
            finds->items[n_old++] = *found;
    }
    /* Those of threads that ended long ago, too, so that their being used again is seen. */
    finds->n = n_old;
    if (n_old)
        qsort(finds->items, n_old, sizeof(*finds->items), by_time);
    for (size_t i = 0; i < n_old && code == OT_OK; i++)
        code =
            ot_follow_note_old_chunk(log, finds->items[i].chunk, finds->items[i].generation, err);
    return code;
}

int ot_follow_discover(struct ot_follow_log *log, size_t max_chunks, struct ot_oplog_buffer *buffer,
                       struct ot_err *err)
{
    struct finds finds = {0};
    int code = find_new(log, &finds, buffer, err);
    if (code == OT_OK)
        code = find_unseen(log, &finds, buffer, err);
    if (code == OT_OK)
        code = find_used_again(log, &finds, buffer, err);
    if (code == OT_OK)
        code = choose_finds(log, &finds, max_chunks, err);
    free(finds.items);
    return code;
}
