#include "ingest/oplog/scan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/oplog.h"
#include "base/vec.h"

/* Times are this far from their base at most: with a base below, no sum overflows. */
static const uint64_t largest_base = UINT64_MAX - ((UINT64_C(1) << OT_OPLOG_TICK_BITS) - 1);

struct scan {
    struct ot_oplog_log *log;
    struct ot_oplog_common *common;
    uint64_t chunk;
    size_t at; /* word in the chunk */
    struct ot_oplog_piece piece;
    uint64_t base;
    bool in_piece;
    bool follows_entry; /* what belongs to an entry may come now */
};

static int add_piece(struct scan *scan, struct ot_err *err)
{
    struct ot_oplog_log *log = scan->log;
    if (scan->common->n_pieces >= OT_OPLOG_PIECES_MAX ||
        !ot_vec_reserve(&log->pieces, &log->pieces_cap, log->n_pieces + 1, sizeof(*log->pieces)))
        return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory for segments", log->file.path);
    scan->piece.until = (uint16_t)scan->at;
    log->pieces[log->n_pieces++] = scan->piece;
    scan->common->n_pieces++;
    scan->in_piece = false;
    return OT_OK;
}

/* --- records ------------------------------------------------------------------------------------
 * Each gets the words of a record that is all there; OT_END: there is no going on in this chunk.
 */

static int damage(struct scan *scan, struct ot_err *err, const char *what)
{
    int code = ot_oplog_damage(scan->log, scan->common, scan->chunk, scan->at, err, "%s", what);
    return code == OT_OK ? OT_END : code;
}

static int scan_event(struct scan *scan, const uint64_t *words, struct ot_err *err)
{
    if (ot_oplog_id_of(*words) == 0)
        return damage(scan, err, "an entry or exit without a name");
    scan->piece.n_events++;
    scan->follows_entry = ot_oplog_record_of(*words) == OT_OPLOG_ENTRY;
    return OT_OK;
}

static int scan_exit_of(struct scan *scan, const uint64_t *words, struct ot_err *err)
{
    struct ot_oplog_log *log = scan->log;
    int code = scan_event(scan, words, err);
    if (code != OT_OK)
        return code;
    if (words[1] == 0 || words[1] > UINT32_MAX)
        return damage(scan, err, "an exit of a call of no thread");
    if (words[1] == scan->piece.thread)
        return OT_OK; /* its place is here */
    if (scan->common->n_ends >= OT_OPLOG_ENDS_MAX ||
        !ot_vec_reserve(&log->ends, &log->ends_cap, log->n_ends + 1, sizeof(*log->ends)))
        return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory for exits on other threads",
                          log->file.path);
    log->ends[log->n_ends] = (struct ot_oplog_end){
        .ticks = scan->base + ot_oplog_ticks_of(*words),
        .began_ticks = words[2],
        .ended_on_tid = scan->piece.tid,
        .thread = (uint32_t)words[1],
        .name = ot_oplog_id_of(*words),
        .order = (uint32_t)log->n_ends,
    };
    log->n_ends++;
    scan->common->n_ends++;
    return OT_OK;
}

/* At a piece's start they may belong to an entry of the piece before. */
static int scan_addition(struct scan *scan, const uint64_t *words, struct ot_err *err)
{
    (void)words;
    if (!scan->follows_entry && scan->at != scan->piece.from)
        return damage(scan, err, "what belongs to an entry stands behind none");
    scan->follows_entry = true;
    return OT_OK;
}

static int scan_memory(struct scan *scan, const uint64_t *words, struct ot_err *err)
{
    (void)words;
    (void)err;
    scan->follows_entry = false;
    return OT_OK;
}

static int scan_rebase(struct scan *scan, const uint64_t *words, struct ot_err *err)
{
    if (words[1] > largest_base)
        return damage(scan, err, "times that no 64 bits can count");
    scan->base = words[1];
    return OT_OK;
}

static int scan_segment(struct scan *scan, const uint64_t *words, struct ot_err *err)
{
    struct ot_oplog_segment segment = ot_oplog_segment_at(words);
    int code = scan->in_piece ? add_piece(scan, err) : OT_OK;
    if (code != OT_OK)
        return code;
    if (segment.thread == 0)
        return damage(scan, err, "a segment of no thread");
    if (segment.base_ticks > largest_base)
        return damage(scan, err, "times that no 64 bits can count");
    scan->base = segment.base_ticks;
    scan->follows_entry = false;
    scan->in_piece = true;
    scan->piece = (struct ot_oplog_piece){
        .chunk = scan->chunk,
        .base_ticks = segment.base_ticks,
        .events_before = segment.events_before,
        .tid = segment.tid,
        .thread = segment.thread,
        .number = segment.number,
        .open_calls = segment.open_calls,
        .torch_thread = segment.torch_thread,
        .generation = scan->common->buffer.head.generation,
        .from = (uint16_t)(scan->at + OT_OPLOG_SEGMENT_WORDS),
    };
    struct ot_oplog_moment moment = {.ticks = segment.base_ticks,
                                     .monotonic_ns = segment.monotonic_ns};
    return ot_oplog_clock_add(&scan->common->clocks, scan->log->clock, &moment, err);
}

static int (*const scanners[16])(struct scan *, const uint64_t *, struct ot_err *) = {
    [OT_OPLOG_ENTRY] = scan_event,        [OT_OPLOG_EXIT] = scan_event,
    [OT_OPLOG_EXIT_OF] = scan_exit_of,    [OT_OPLOG_SEQUENCE_OF] = scan_addition,
    [OT_OPLOG_SHAPES_OF] = scan_addition, [OT_OPLOG_MEMORY_EVENT] = scan_memory,
    [OT_OPLOG_REBASE] = scan_rebase,      [OT_OPLOG_SEGMENT] = scan_segment,
};

/* The record at word scan->at. OT_END: there is no going on in this chunk. */
static int scan_record(struct scan *scan, const struct ot_oplog_buffer *buffer, struct ot_err *err)
{
    uint64_t word = buffer->words[scan->at];
    size_t n_words = ot_oplog_record_words(word);
    if (n_words == 0)
        return damage(scan, err, "a record of a kind that there is not");
    if (scan->at + n_words > OT_OPLOG_CHUNK_WORDS)
        return damage(scan, err, "a record goes beyond its chunk");
    if (scan->at + n_words > buffer->n_words)
        return OT_END; /* the file was cut here */
    if (!scan->in_piece && ot_oplog_record_of(word) != OT_OPLOG_SEGMENT)
        return damage(scan, err, "a chunk of events that does not begin with a segment");
    int code = scanners[ot_oplog_record_of(word)](scan, &buffer->words[scan->at], err);
    if (code == OT_OK)
        scan->at += n_words;
    return code;
}

/* Nearly all records are entries and exits, whose one word is seen through here. */
static inline size_t pass_events(struct scan *scan, const struct ot_oplog_buffer *buffer)
{
    size_t at = scan->at;
    bool is_entry = scan->follows_entry;
    for (; at < buffer->n_words; at++) {
        uint64_t word = buffer->words[at];
        unsigned record = ot_oplog_record_of(word);
        if ((record != OT_OPLOG_ENTRY && record != OT_OPLOG_EXIT) || ot_oplog_id_of(word) == 0)
            break;
        is_entry = record == OT_OPLOG_ENTRY;
    }
    scan->piece.n_events += (uint32_t)(at - scan->at);
    scan->follows_entry = is_entry;
    return at;
}

static int scan_events(struct scan *scan, struct ot_err *err)
{
    const struct ot_oplog_buffer *buffer = &scan->common->buffer;
    int code = OT_OK;
    scan->at = 0;
    scan->in_piece = false;
    while (code == OT_OK && scan->at < buffer->n_words && buffer->words[scan->at]) {
        if (scan->in_piece)
            scan->at = pass_events(scan, buffer);
        if (scan->at < buffer->n_words && buffer->words[scan->at])
            code = scan_record(scan, buffer, err);
    }
    if (code >= 0 && scan->in_piece)
        return add_piece(scan, err);
    return code == OT_END ? OT_OK : code;
}

static int add_names(struct ot_oplog_log *log, uint64_t chunk, struct ot_err *err)
{
    if (!ot_vec_reserve(&log->names, &log->names_cap, log->n_names + 1, sizeof(*log->names)))
        return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory for names", log->file.path);
    log->names[log->n_names++] = chunk;
    return OT_OK;
}

static int scan_chunk(struct scan *scan, struct ot_err *err)
{
    struct ot_oplog_buffer *buffer = &scan->common->buffer;
    int code =
        ot_oplog_file_read(&scan->log->file, scan->chunk, 0, OT_OPLOG_CHUNK_WORDS, buffer, err);
    if (code < 0)
        return code;
    ot_oplog_note_look(scan->common, buffer->n_words * sizeof(buffer->words[0]),
                       OT_OPLOG_SCAN_EIGHTHS);
    switch (buffer->head.kind) {
    case OT_OPLOG_CHUNK_UNUSED:
        return OT_OK;
    case OT_OPLOG_CHUNK_EVENTS:
        return scan_events(scan, err);
    case OT_OPLOG_CHUNK_NAMES:
        return add_names(scan->log, scan->chunk, err);
    default:
        scan->at = 0;
        code = damage(scan, err, "a chunk of a kind that there is not");
        return code == OT_END ? OT_OK : code;
    }
}

/* --- order --------------------------------------------------------------------------------------
 */

static int compare_pieces(const void *a, const void *b)
{
    const struct ot_oplog_piece *piece_a = a;
    const struct ot_oplog_piece *piece_b = b;
    if (piece_a->thread != piece_b->thread)
        return piece_a->thread < piece_b->thread ? -1 : 1;
    if (piece_a->number != piece_b->number)
        return piece_a->number < piece_b->number ? -1 : 1;
    if (piece_a->chunk != piece_b->chunk)
        return piece_a->chunk < piece_b->chunk ? -1 : 1;
    return (piece_a->from > piece_b->from) - (piece_a->from < piece_b->from);
}

/* Of calls that end at once the inner one ends first. */
static int compare_ends(const void *a, const void *b)
{
    const struct ot_oplog_end *end_a = a;
    const struct ot_oplog_end *end_b = b;
    if (end_a->thread != end_b->thread)
        return end_a->thread < end_b->thread ? -1 : 1;
    if (end_a->ticks != end_b->ticks)
        return end_a->ticks < end_b->ticks ? -1 : 1;
    if (end_a->began_ticks != end_b->began_ticks)
        return end_a->began_ticks > end_b->began_ticks ? -1 : 1;
    return (end_a->order > end_b->order) - (end_a->order < end_b->order);
}

static int compare_beginnings(const void *a, const void *b, void *arg)
{
    const struct ot_oplog_end *ends = arg;
    const struct ot_oplog_end *end_a = &ends[*(const uint32_t *)a];
    const struct ot_oplog_end *end_b = &ends[*(const uint32_t *)b];
    if (end_a->thread != end_b->thread)
        return end_a->thread < end_b->thread ? -1 : 1;
    if (end_a->began_ticks != end_b->began_ticks)
        return end_a->began_ticks < end_b->began_ticks ? -1 : 1;
    return (end_a > end_b) - (end_a < end_b);
}

static int order_ends(struct ot_oplog_log *log, struct ot_err *err)
{
    if (log->n_ends == 0)
        return OT_OK;
    qsort(log->ends, log->n_ends, sizeof(*log->ends), compare_ends);
    log->ends_by_beginning = malloc(log->n_ends * sizeof(*log->ends_by_beginning));
    if (!log->ends_by_beginning)
        return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory for exits on other threads",
                          log->file.path);
    for (size_t i = 0; i < log->n_ends; i++)
        log->ends_by_beginning[i] = (uint32_t)i;
    qsort_r(log->ends_by_beginning, log->n_ends, sizeof(*log->ends_by_beginning),
            compare_beginnings, log->ends);
    return OT_OK;
}

static int check_twins(struct scan *scan, struct ot_err *err)
{
    struct ot_oplog_log *log = scan->log;
    size_t n = 0;
    for (size_t i = 0; i < log->n_pieces; i++) {
        const struct ot_oplog_piece *piece = &log->pieces[i];
        bool is_twin = n && log->pieces[n - 1].thread == piece->thread &&
                       log->pieces[n - 1].number == piece->number;
        if (!is_twin) {
            log->pieces[n++] = *piece;
            continue;
        }
        scan->chunk = piece->chunk;
        scan->at = piece->from - OT_OPLOG_SEGMENT_WORDS;
        int code = damage(scan, err, "a second segment of this number and thread");
        if (code != OT_END)
            return code;
    }
    log->n_pieces = n;
    return OT_OK;
}

static int list_threads(struct ot_oplog_log *log, struct ot_err *err)
{
    for (size_t first = 0, end; first < log->n_pieces; first = end) {
        for (end = first;
             end < log->n_pieces && log->pieces[end].thread == log->pieces[first].thread;)
            end++;
        if (!ot_vec_reserve(&log->threads, &log->threads_cap, log->n_threads + 1,
                            sizeof(*log->threads)))
            return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory for threads", log->file.path);
        const struct ot_oplog_piece *last = &log->pieces[end - 1];
        uint32_t number_before = log->n_threads ? log->threads[log->n_threads - 1].number : 0;
        log->n_missing_threads += last->thread - number_before - 1;
        log->threads[log->n_threads++] = (struct ot_oplog_thread){
            .number = last->thread,
            .torch_thread = last->torch_thread,
            .tid = last->tid,
            .first_piece = first,
            .n_pieces = end - first,
        };
    }
    return OT_OK;
}

/* Both are in the order of the threads' numbers. */
static void give_ends(struct ot_oplog_log *log)
{
    size_t at = 0;
    for (size_t t = 0; t < log->n_threads; t++) {
        struct ot_oplog_thread *thread = &log->threads[t];
        while (at < log->n_ends && log->ends[at].thread < thread->number) {
            log->n_lost_ends++;
            at++;
        }
        thread->first_end = at;
        while (at < log->n_ends && log->ends[at].thread == thread->number)
            at++;
        thread->n_ends = at - thread->first_end;
    }
    log->n_lost_ends += log->n_ends - at;
}

int ot_oplog_scan(struct ot_oplog_log *log, struct ot_oplog_common *common, struct ot_err *err)
{
    struct scan scan = {.log = log, .common = common};
    uint64_t n_chunks = ot_oplog_file_chunks(&log->file);
    int code = OT_OK;
    for (uint64_t i = 0; i < n_chunks && code == OT_OK; i++) {
        scan.chunk = i;
        code = scan_chunk(&scan, err);
    }
    log->n_scanned = n_chunks;
    if (log->n_pieces)
        qsort(log->pieces, log->n_pieces, sizeof(*log->pieces), compare_pieces);
    if (code == OT_OK)
        code = order_ends(log, err);
    if (code == OT_OK)
        code = check_twins(&scan, err);
    if (code == OT_OK)
        code = list_threads(log, err);
    if (code == OT_OK)
        give_ends(log);
    return code;
}
